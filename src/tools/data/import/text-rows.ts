// Reads the rows of CSV and JSON files, each with its line number.

import { CsvError, parse } from 'csv-parse/sync';
import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import type { Cell } from '../cell-values.js';
import { CommandError, describeError } from '../errors.js';
import type { SourceFile } from './source-file.js';

/** `line`: where the row starts, from 1. An empty cell is `''` or null. */
export interface SheetRow {
  readonly line: number;
  readonly cells: readonly Cell[];
  /** Whether the row is hidden or filtered out in the workbook. */
  readonly isHidden?: boolean;
}

/** In an array, `line` is the number of the record. */
export interface JsonRow {
  readonly line: number;
  readonly json: string;
}

/** A first line that Excel understands, but parsers don't. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/i;
const LINE_END = /\r\n|\n|\r/g;
const DELIMITERS = [',', ';', '\t', '|'];

/** Includes the header. An empty line is one empty cell. */
export function csvRows({ path, text }: SourceFile, delimiter: string | undefined): SheetRow[] {
  const [separator = '', mark] = SEPARATOR_LINE.exec(text) ?? [];
  const content = text.slice(separator.length);
  /** Where the next row starts. */
  let nextLine = separator === '' ? 1 : 2;
  const rows: SheetRow[] = [];
  try {
    parse(content, {
      delimiter: delimiter ?? mark ?? likelyDelimiter(content),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      // An unclosed quotation mark would make the rest of the file one value.
      max_record_size: 2 * REQUEST_BODY_MAX_BYTES,
      on_record: (cells: string[]) => {
        rows.push({ line: nextLine, cells });
        // Counted here, because the parser counts a \r\n within a value as two lines.
        for (const cell of cells) nextLine += cell.match(LINE_END)?.length ?? 0;
        nextLine++;
        return null;
      },
    });
    return rows;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CommandError(
      `${path}, line ${nextLine}: a quotation mark in the row that starts here is never closed, or is inside an unquoted value (${error.code}); quote the value, and double a quotation mark inside it ("")`,
    );
  }
}

/** The most frequent delimiter of the first line, outside of quotation marks. */
function likelyDelimiter(content: string): string {
  const line = content.replace(/"[^"]*"/g, '').split(/\r\n|\n|\r/, 1)[0] ?? '';
  const count = (mark: string) => line.split(mark).length;
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ',';
}

/** One record per line; empty lines are skipped. */
export function ndjsonRows({ text }: SourceFile): JsonRow[] {
  const lines = text.split('\n').map((json, index) => ({ line: index + 1, json }));
  return lines.filter(({ json }) => json.trim() !== '');
}

export function jsonArrayRows({ path, text }: SourceFile): JsonRow[] {
  try {
    const array: unknown = JSON.parse(text, (_name, value) => {
      // `JSON.stringify` would write it as null.
      if (value === Infinity || value === -Infinity) throw new Error('a number is too large');
      return value;
    });
    if (!Array.isArray(array)) throw new Error('it is another JSON value');
    return array.map((record, index) => ({ line: index + 1, json: JSON.stringify(record) }));
  } catch (error) {
    throw new CommandError(
      `${path} is not a JSON array: ${describeError(error)}; for JSON Lines, use .ndjson`,
    );
  }
}
