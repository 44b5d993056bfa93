// The file as text: its encoding is found out by a strict look at every byte,
// not guessed from letter frequencies, and its hash says later whether it changed.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { CommandError, systemCodeOf, UsageError } from '../failures.js';
import { UnreadableFile } from './problem.js';

export type Format = 'csv' | 'ndjson' | 'json';

export interface SourceFile {
  readonly path: string;
  readonly name: string;
  readonly format: Format;
  readonly bytes: number;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
  /** As `TextDecoder` names it. */
  readonly encoding: string;
  /** The line of the first byte that is no UTF-8, where that decided; else undefined. */
  readonly notUtf8AtLine: number | undefined;
}

const FORMATS: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.txt': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};
const FALLBACK_ENCODING = 'windows-1252';
const LINE_FEED = 0x0a;
/** A ZIP file's first bytes: what a spreadsheet program saves unless it is asked for CSV. */
const ZIP_START = Buffer.from('PK\u0003\u0004');

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

/** Reads the whole file once. `encoding`: the operator's word; undefined: strict UTF-8, else Windows-1252. */
export async function lookAt(path: string, encoding: string | undefined): Promise<SourceFile> {
  const format = FORMATS[extname(path).toLowerCase()];
  if (format === undefined) {
    throw new UsageError(
      `${path} has an unknown ending; name a file that ends in .csv, .tsv, .txt, .ndjson, .jsonl or .json, or an export's folder`,
    );
  }
  const hash = createHash('sha256');
  const first = await firstBytes(path);
  if (first.subarray(0, 4).equals(ZIP_START)) {
    throw new CommandError(`${path} is a workbook; save it as CSV (UTF-8), then import that file`);
  }
  const utf8 = new Utf8Check();
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(piece);
    utf8.add(piece);
  }
  utf8.end();
  const isText16 = first[0] === 0xff && first[1] === 0xfe;
  const found = isText16 ? 'utf-16le' : utf8.badLine === undefined ? 'utf-8' : undefined;
  const isJson = format !== 'csv';
  const chosen = encoding ?? found ?? (isJson ? 'utf-8' : FALLBACK_ENCODING);
  const isWrong = chosen === 'utf-8' && utf8.badLine !== undefined;
  if (isWrong) {
    const wanted = isJson ? 'JSON must be UTF-8' : 'pass the right --encoding, or none';
    throw new UnreadableFile(path, {
      line: utf8.badLine ?? 1,
      column: '',
      problem: `a byte is not UTF-8; ${wanted}`,
      value: '',
    });
  }
  return {
    path,
    name: basename(path),
    format,
    bytes: (await stat(path)).size,
    sha256: hash.digest('hex'),
    encoding: chosen,
    notUtf8AtLine: encoding === undefined && found === undefined ? utf8.badLine : undefined,
  };
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

/** Finds the line of the first byte that strict UTF-8 does not have. */
class Utf8Check {
  badLine: number | undefined;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #line = 1;

  add(piece: Buffer): void {
    if (this.badLine !== undefined) return;
    try {
      this.#decoder.decode(piece, { stream: true });
      this.#line += count(piece, LINE_FEED);
    } catch {
      this.badLine = this.#line + lineOfBadByte(piece);
    }
  }

  end(): void {
    if (this.badLine !== undefined) return;
    try {
      this.#decoder.decode();
    } catch {
      this.badLine = this.#line;
    }
  }
}

/** How many lines into the piece its first bad byte is. The first bytes may belong to a character that began before. */
function lineOfBadByte(piece: Buffer): number {
  let lines = 0;
  let start = 0;
  for (;;) {
    const end = piece.indexOf(LINE_FEED, start);
    const line = piece.subarray(start, end === -1 ? piece.length : end);
    const strict = new TextDecoder('utf-8', { fatal: true });
    let from = 0;
    // Continuation bytes at the piece's start.
    if (start === 0) while (from < 3 && ((line[from] ?? 0) & 0xc0) === 0x80) from++;
    try {
      strict.decode(line.subarray(from), { stream: end === -1 });
    } catch {
      return lines;
    }
    if (end === -1) return lines;
    lines++;
    start = end + 1;
  }
}

function count(piece: Buffer, byte: number): number {
  let found = 0;
  for (let at = piece.indexOf(byte); at !== -1; at = piece.indexOf(byte, at + 1)) found++;
  return found;
}
