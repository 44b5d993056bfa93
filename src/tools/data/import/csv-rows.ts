// The rows of a CSV file, each with the line where it begins.

import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import type { Cell } from '../cell-values.js';
import { CommandError } from '../failures.js';
import { type SourceFile, textOf } from './source-file.js';

/** `line`: where it begins, counted from 1. An empty cell is `''` or null. */
export interface SheetRow {
  readonly line: number;
  readonly cells: readonly Cell[];
}

/** A first line that only Excel knows, and parsers don't. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/i;
const LINE_END = /\r\n|\n|\r/g;
const DELIMITERS = [',', ';', '\t', '|'];
/** The header first, then the rows. An empty line is one empty cell. */
export async function* csvRows(
  source: SourceFile,
  delimiter: string | undefined,
): AsyncGenerator<SheetRow, void> {
  const pieces = textOf(source);
  const first = String((await pieces.next()).value ?? '');
  const [separator = '', mark] = SEPARATOR_LINE.exec(first) ?? [];
  const head = first.slice(separator.length);
  const chosen = delimiter ?? mark ?? likelyDelimiter(head);
  /** The line where the next row begins. */
  let nextLine = separator === '' ? 1 : 2;
  const parser = parse({
    delimiter: chosen,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // An unclosed quotation mark would make the rest of the file one value.
    max_record_size: 2 * REQUEST_BODY_MAX_BYTES,
    on_record: ((cells: string[]) => {
      const line = nextLine;
      // The parser's own count treats a \r\n within a value as two lines.
      for (const cell of cells) nextLine += cell.match(LINE_END)?.length ?? 0;
      nextLine++;
      return { line, cells };
      // The parser's types allow only arrays as results.
    }) as never,
  });
  const text = Readable.from(following(head, pieces));
  text.once('error', (error) => parser.destroy(error));
  try {
    yield* text.pipe(parser) as AsyncIterable<SheetRow>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CommandError(
      `${source.path}, line ${nextLine}: a quotation mark in the row that begins here is never closed, or stands inside a value (${error.code}); put the value into quotation marks, and write a mark that is text twice ("")`,
    );
  } finally {
    text.destroy();
  }
}

/** The delimiter that occurs most often in the first line, outside of quotation marks. */
function likelyDelimiter(head: string): string {
  const line = head.replace(/"[^"]*"/g, '').split(/\r\n|\n|\r/, 1)[0] ?? '';
  const count = (mark: string) => line.split(mark).length;
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ',';
}

async function* following(head: string, rest: AsyncIterable<string>) {
  yield head;
  yield* rest;
}
