// The file as text. Every byte is checked to find the encoding; nothing is guessed from
// letter frequencies. The hash tells later whether the file was changed.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import { UsageError } from '../../program/ending.js';
import { CommandError, systemCodeOf } from '../failures.js';
import { UnreadableFile } from './problem.js';

export type Format = 'csv' | 'ndjson' | 'json' | 'xlsx';

export interface SourceFile {
  readonly path: string;
  readonly name: string;
  readonly format: Format;
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly sha256: string;
  /** The name that `TextDecoder` has for it; of a text. */
  readonly encoding: string;
  /** The line of the first byte that is not UTF-8, if that decided the encoding; else undefined. */
  readonly notUtf8AtLine: number | undefined;
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
const FALLBACK_ENCODING = 'windows-1252';
/** A ZIP file's first bytes. A workbook is one. */
const ZIP_START = Buffer.from('PK\u0003\u0004');
/** What a text in UTF-16 begins with, by the order of its bytes. */
const UTF_16_MARKS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** Throws a `UsageError` for a name that no decoder has. */
export function knownEncoding(given: string): string {
  try {
    return new TextDecoder(given).encoding;
  } catch {
    throw new UsageError(
      `--encoding is ${JSON.stringify(given)}; it must be one such as utf-8, windows-1252 or utf-16le`,
    );
  }
}

/** Reads the whole file once. `encoding`: the operator's choice; undefined: UTF-8 if every byte fits, else Windows-1252. */
export async function lookAt(path: string, encoding: string | undefined): Promise<SourceFile> {
  const format = FORMATS[extname(path).toLowerCase()];
  if (format === undefined) {
    throw new UsageError(
      `${path} has an unknown ending; name a file that ends in .xlsx, .csv, .tsv, .txt, .ndjson, .jsonl or .json, or an export's folder`,
    );
  }
  const first = await firstBytes(path);
  if (first.equals(ZIP_START) !== (format === 'xlsx')) {
    throw new CommandError(
      format === 'xlsx'
        ? `${path} is not a workbook; save it as .xlsx or as CSV (UTF-8), then import that file`
        : `${path} is a workbook; give it a name that ends in .xlsx`,
    );
  }
  const hash = createHash('sha256');
  const utf8 = new Utf8Check();
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(piece);
    utf8.add(piece);
  }
  utf8.add();
  const file = { path, name: basename(path), format, sha256: hash.digest('hex') };
  if (format === 'xlsx') return { ...file, encoding: '', notUtf8AtLine: undefined };
  const found =
    UTF_16_MARKS[first.subarray(0, 2).toString('hex')] ??
    (utf8.badLine === undefined ? 'utf-8' : undefined);
  const isJson = format !== 'csv';
  const chosen = encoding ?? found ?? (isJson ? 'utf-8' : FALLBACK_ENCODING);
  if (chosen === 'utf-8' && utf8.badLine !== undefined) {
    const wanted = isJson ? 'JSON must be UTF-8' : 'pass the right --encoding, or none';
    throw new UnreadableFile(path, utf8.badLine, `a byte is not UTF-8; ${wanted}`);
  }
  const isFallback = encoding === undefined && found === undefined;
  return { ...file, encoding: chosen, notUtf8AtLine: isFallback ? utf8.badLine : undefined };
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

async function firstBytes(path: string): Promise<Buffer> {
  try {
    for await (const piece of createReadStream(path, { end: 3 }) as AsyncIterable<Buffer>) {
      return piece;
    }
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${systemCodeOf(error)}); check the path`);
  }
  throw new CommandError(`${path} is empty; name a file with rows`);
}

/** Finds the line of the first byte that is not UTF-8. */
class Utf8Check {
  badLine: number | undefined;
  readonly #strict = new TextDecoder('utf-8', { fatal: true });
  /** Writes U+FFFD for a bad byte, so that its line can be counted. */
  readonly #lenient = new TextDecoder('utf-8');
  #line = 1;

  /** Without a piece: the file's end. */
  add(piece?: Buffer): void {
    if (this.badLine !== undefined) return;
    const options = { stream: piece !== undefined };
    const text = this.#lenient.decode(piece, options);
    try {
      this.#strict.decode(piece, options);
      this.#line += linesIn(text);
    } catch {
      this.badLine = this.#line + linesIn(text.slice(0, text.indexOf('\ufffd')));
    }
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}
