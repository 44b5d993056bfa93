// The rows of a CSV file, each with the line where it begins.

import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import type { Cell } from '../cell-values.js';
import { CommandError } from '../failures.js';
import { UnreadableFile } from './problem.js';
import { type SourceFile, textOf } from './source-file.js';

/** `line`: where it begins, from 1. An empty cell is `''` or null. */
export interface SheetRow {
  readonly line: number;
  readonly cells: readonly Cell[];
}

/** Excel's own first line; no parser knows it. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/i;
const LINE_END = /\r\n|\n|\r/g;
const DELIMITERS = [',', ';', '\t', '|'];
/** This many characters are searched for the delimiter. */
const HEAD_MAX_CHARACTERS = 65_536;

/** The header first, then the rows. An empty line is one empty cell. */
export async function* csvRows(
  source: SourceFile,
  delimiter: string | undefined,
): AsyncGenerator<SheetRow, void> {
  const { head, all } = await withHead(textOf(source));
  const separator = SEPARATOR_LINE.exec(head);
  const skipped = separator?.[0].length ?? 0;
  const chosen = delimiter ?? separator?.[1] ?? likelyDelimiter(source.path, head.slice(skipped));
  /** The line where the next row begins. */
  let nextLine = skipped === 0 ? 1 : 2;
  const parser = parse({
    delimiter: chosen,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // An unclosed quotation mark would make the rest of the file one value.
    max_record_size: 2 * REQUEST_BODY_MAX_BYTES,
    on_record: ((cells: string[]) => {
      const line = nextLine;
      // The parser's own count takes a \r\n within a value for two lines.
      for (const cell of cells) nextLine += cell.match(LINE_END)?.length ?? 0;
      nextLine++;
      return { line, cells };
      // The parser's types have only arrays as results.
    }) as never,
  });
  const text = Readable.from(without(all, skipped));
  text.once('error', (error) => parser.destroy(error));
  try {
    yield* text.pipe(parser) as AsyncIterable<SheetRow>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UnreadableFile(source.path, nextLine, quoteProblem(error.code));
  } finally {
    text.destroy();
  }
}

function quoteProblem(code: string): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return 'a quotation mark in the row that begins here is never closed; close it, or write a mark that is text twice ("")';
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return 'a quotation mark in the row that begins here stands inside a value; put the value into quotation marks and write the mark twice ("")';
    default:
      return `the row cannot be read (${code}); look at its quotation marks`;
  }
}

/** The delimiter that occurs most often in the first line, outside of quotation marks. */
function likelyDelimiter(file: string, head: string): string {
  const line = head.replace(/"[^"]*"/g, '').split(/\r\n|\n|\r/, 1)[0] ?? '';
  const counts = DELIMITERS.map((mark) => [line.split(mark).length - 1, mark] as const);
  const most = Math.max(...counts.map(([count]) => count));
  const candidates = counts.filter(([count]) => count === most).map(([, mark]) => mark);
  if (most === 0) return ',';
  if (candidates.length > 1) {
    const shown = candidates.map((mark) => JSON.stringify(mark)).join(' or ');
    throw new CommandError(`${file}, line 1: the delimiter could be ${shown}; pass --delimiter`);
  }
  return candidates[0] ?? ',';
}

async function withHead(text: AsyncGenerator<string, void>) {
  let head = '';
  while (head.length < HEAD_MAX_CHARACTERS) {
    const { done, value } = await text.next();
    if (done) break;
    head += value;
  }
  async function* all() {
    yield head;
    yield* text;
  }
  return { head, all: all() };
}

async function* without(text: AsyncIterable<string>, skipped: number) {
  let left = skipped;
  for await (const piece of text) {
    yield piece.slice(left);
    left = 0;
  }
}
