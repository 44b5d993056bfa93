// The file as text. Every byte is checked to find the encoding; nothing is guessed from
// letter frequencies. The hash shows later whether the file was changed.

import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { extname } from 'node:path';
import { UsageError } from '../../program/command.js';
import { CommandError } from '../failures.js';

export type Format = 'csv' | 'ndjson' | 'json' | 'xlsx';

export interface SourceFile {
  readonly path: string;
  readonly format: Format;
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly sha256: string;
  /** As `TextDecoder` names it; empty for a workbook. */
  readonly encoding: string;
  /** Whether it was chosen only because the file is not UTF-8. */
  readonly isGuess: boolean;
}

const FORMATS: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.txt': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.xlsx': 'xlsx',
};
/** For a file that is read into memory as a whole. */
const WHOLE_MAX_BYTES = 33_554_432;
const FALLBACK_ENCODING = 'windows-1252';
/** A ZIP file's first bytes. A workbook is one. */
const ZIP_START = Buffer.from('PK\u0003\u0004');
/** The byte order marks of UTF-16. */
const UTF_16_MARKS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** Reads the whole file once. `encoding`: as `TextDecoder` names it; undefined: UTF-8 if every byte fits, else Windows-1252. */
export async function lookAt(path: string, encoding: string | undefined): Promise<SourceFile> {
  const format = FORMATS[extname(path).toLowerCase()];
  if (format === undefined) {
    throw new UsageError(
      `${path} has an unknown ending; name a file that ends in .xlsx, .csv, .tsv, .txt, .ndjson, .jsonl or .json, or an export's folder`,
    );
  }
  if ((format === 'xlsx' || format === 'json') && statSync(path).size > WHOLE_MAX_BYTES) {
    throw new CommandError(
      `${path} is longer than ${WHOLE_MAX_BYTES} bytes; save it as CSV (UTF-8), or as .ndjson with one record per line`,
    );
  }
  const hash = createHash('sha256');
  const strict = new TextDecoder('utf-8', { fatal: true });
  let isUtf8 = true;
  let first: Buffer | undefined;
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    first ??= piece.subarray(0, ZIP_START.length);
    hash.update(piece);
    isUtf8 &&= continues(strict, piece);
  }
  if (first === undefined) throw new CommandError(`${path} is empty; name a file with rows`);
  isUtf8 &&= continues(strict);
  const file = { path, format, sha256: hash.digest('hex'), isGuess: false };
  if (format === 'xlsx') return { ...file, encoding: '' };
  if (first.equals(ZIP_START)) {
    throw new CommandError(`${path} is a workbook; give it a name that ends in .xlsx`);
  }
  const isJson = format !== 'csv';
  const mark = UTF_16_MARKS[first.subarray(0, 2).toString('hex')];
  const chosen = encoding ?? mark ?? (isUtf8 || isJson ? 'utf-8' : undefined);
  if (chosen === 'utf-8' && !isUtf8) {
    const wanted = isJson ? 'JSON must be UTF-8' : 'pass the right --encoding, or none';
    throw new CommandError(`${path} is not UTF-8; ${wanted}`);
  }
  return { ...file, encoding: chosen ?? FALLBACK_ENCODING, isGuess: chosen === undefined };
}

/** Where a row begins, for a message. A record of a JSON array has no line. */
export const placeOf = ({ format }: SourceFile, line: number) =>
  `${format === 'json' ? 'record' : 'line'} ${line}`;

/** Whether the text is still valid with these bytes; without a piece, whether it may end here. */
function continues(strict: TextDecoder, piece?: Buffer): boolean {
  try {
    strict.decode(piece, { stream: piece !== undefined });
    return true;
  } catch {
    return false;
  }
}

/** The file's text in pieces, without a byte order mark. */
export async function* textOf({ path, encoding }: SourceFile): AsyncGenerator<string, void> {
  const decoder = new TextDecoder(encoding, { fatal: encoding === 'utf-8' });
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    const text = decoder.decode(piece, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}
