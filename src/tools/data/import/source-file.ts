// Reads the file to import. The encoding is detected by checking every byte; nothing is guessed from
// letter frequencies.

import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { UsageError } from '../../program/command.js';
import { CommandError } from '../errors.js';

export interface SourceFile {
  readonly path: string;
  readonly format: 'csv' | 'ndjson' | 'json' | 'xlsx';
  readonly bytes: Buffer;
  /** The text without its byte order mark; empty for a workbook. */
  readonly text: string;
  /** For the terminal; undefined for a workbook. */
  readonly encoding?: string;
}

const FORMATS: Readonly<Record<string, SourceFile['format']>> = {
  '.csv': 'csv',
  '.txt': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.xlsx': 'xlsx',
};
/** Keeps memory below about 1 GB: 32 MiB of CSV with 426,000 rows took 960 MB. */
const FILE_MAX_BYTES = 32 * 1_048_576;
const FALLBACK_ENCODING = 'windows-1252';
/** The first bytes of a ZIP file, and so of a workbook. */
const ZIP_START = Buffer.from('PK\u0003\u0004');
/** The byte order marks of UTF-16. */
const UTF_16_MARKS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** Resolves an alias, such as `latin1`, to the name that `readSource` expects. */
export function parseEncoding(given: string): string {
  try {
    return new TextDecoder(given).encoding;
  } catch {
    const remedy = 'it must be an encoding such as utf-8 or windows-1252';
    throw new UsageError(`--encoding is ${JSON.stringify(given)}; ${remedy}`);
  }
}

/** `encoding`: from `parseEncoding`. Undefined: UTF-8 if the bytes are valid, otherwise Windows-1252. */
export function readSource(path: string, encoding: string | undefined): SourceFile {
  const format = FORMATS[extname(path).toLowerCase()];
  if (format === undefined) {
    throw new UsageError(
      `${path} has an unknown extension; name a file that ends in .xlsx, .csv, .tsv, .txt, .ndjson, .jsonl or .json, or an export's folder`,
    );
  }
  const { size } = statSync(path);
  if (size > FILE_MAX_BYTES) {
    throw new CommandError(
      `${path} has ${size} bytes; the limit is ${FILE_MAX_BYTES}; split it into several files`,
    );
  }
  const bytes = readFileSync(path);
  if (bytes.length === 0) throw new CommandError(`${path} is empty; name a file with rows`);
  const isZip = bytes.subarray(0, ZIP_START.length).equals(ZIP_START);
  if (format === 'xlsx' && isZip) return { path, format, bytes, text: '' };
  if (isZip) throw new CommandError(`${path} is a workbook; give it a name that ends in .xlsx`);
  if (format === 'xlsx') {
    throw new CommandError(`${path} is not a workbook; save it as .xlsx, or as CSV (UTF-8)`);
  }
  const isJson = format !== 'csv';
  const chosen = encoding ?? UTF_16_MARKS[bytes.subarray(0, 2).toString('hex')] ?? 'utf-8';
  const text = decoded(bytes, chosen);
  if (text !== undefined) return { path, format, bytes, text, encoding: chosen };
  if (encoding !== undefined || isJson) {
    const wanted = isJson ? 'JSON must be UTF-8' : 'pass the right --encoding, or none';
    throw new CommandError(`${path} is not UTF-8; ${wanted}`);
  }
  return {
    path,
    format,
    bytes,
    text: decoded(bytes, FALLBACK_ENCODING) ?? '',
    encoding: `${FALLBACK_ENCODING} (it is not UTF-8; if letters look wrong below, pass --encoding)`,
  };
}

/** Undefined if the bytes aren't valid UTF-8. Other encodings accept any bytes. */
function decoded(bytes: Buffer, encoding: string): string | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: encoding === 'utf-8' });
    // As a stream, because otherwise Node 20 decodes Windows-1252 as Latin-1, which has no €.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    return undefined;
  }
}

/** The location of a row, for a message. A record of a JSON array has no line. */
export const locationOf = ({ format }: SourceFile, line: number) =>
  `${format === 'json' ? 'record' : 'line'} ${line}`;
