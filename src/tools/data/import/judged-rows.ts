// Checks each row of a file by the service's own rules before anything is sent. The result
// is the record that would be stored, or the problems of the row.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import { type JsonObject, type JsonValue, parseJsonObject } from '../../../core/domain/json.js';
import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import { validated } from '../../../core/domain/record.js';
import { type CellReading, type CellValue, valueOfCell } from '../cell-values.js';
import { CommandError, counted } from '../failures.js';
import { type Column, type Header, headerIn } from './columns.js';
import { csvRows, type SheetRow } from './csv-rows.js';
import { jsonArrayRows, ndjsonRows } from './json-rows.js';
import type { Problem } from './problem.js';
import type { SourceFile } from './source-file.js';
import { workbookRows } from './workbook-rows.js';

/** The operator's options for reading the file. */
export interface Reading extends Pick<CellReading, 'decimal' | 'dates'> {
  /** Properties by header. */
  readonly map: ReadonlyMap<string, string>;
  /** Undefined: detected from the first line. */
  readonly delimiter: string | undefined;
  /** The sheet of a workbook. */
  readonly sheet: string | undefined;
}

export interface JudgedRow {
  readonly line: number;
  /** If the row has problems: what could be read of it. */
  readonly record: JsonObject;
  readonly problems: readonly Problem[];
}

/** Lines that don't become records. */
export interface LeftOut {
  /** Empty, or only separators. */
  empty: number;
  aboveHeader: number;
}

/** This many rows are searched for the header. */
const HEADER_WITHIN_ROWS = 20;

/**
 * Yields every row in the file's order, and counts other lines in `leftOut`. Throws a
 * `CommandError` or a `UsageError` for the file as a whole.
 */
export function judgedRows(
  source: SourceFile,
  collection: CollectionName,
  reading: Reading,
  leftOut: LeftOut,
): AsyncGenerator<JudgedRow, void> {
  switch (source.format) {
    case 'csv':
      return sheetRows(csvRows(source, reading.delimiter), source, collection, reading, leftOut);
    case 'xlsx':
      return sheetRows(workbookRows(source, reading.sheet), source, collection, reading, leftOut);
    case 'json':
      return jsonRows(jsonArrayRows(source), collection);
    case 'ndjson':
      return jsonRows(ndjsonRows(source), collection);
  }
}

async function* jsonRows(
  rows: ReturnType<typeof ndjsonRows>,
  collection: CollectionName,
): AsyncGenerator<JudgedRow, void> {
  for await (const [line, text] of rows) {
    const outcome = parseJsonObject(text);
    if (outcome.ok) yield judged(line, outcome.value, collection);
    else yield badRow(line, '', ofRecord(outcome.failure.message), text.trim());
  }
}

async function* sheetRows(
  rows: AsyncIterable<SheetRow>,
  source: SourceFile,
  collection: CollectionName,
  reading: Reading,
  leftOut: LeftOut,
): AsyncGenerator<JudgedRow, void> {
  let head: SheetRow[] = [];
  let header: Header | undefined;
  function* begun() {
    header = headerIn(source.path, head, collection, reading.map);
    leftOut.aboveHeader = header.index;
    for (const row of head.slice(header.index + 1)) {
      yield judgedRow(row, collection, header, reading);
    }
    head = [];
  }
  for await (const row of rows) {
    if (row.cells.every((cell) => String(cell ?? '').trim() === '')) leftOut.empty++;
    else if (header !== undefined) yield judgedRow(row, collection, header, reading);
    else if (head.push(row) === HEADER_WITHIN_ROWS) yield* begun();
  }
  if (head.length > 0) yield* begun();
  if (header !== undefined) return;
  throw new CommandError(`${source.path} has no header; its first line must name the columns`);
}

/** An empty cell sets no property, so that the service's defaults apply. */
function judgedRow(
  { line, cells }: SheetRow,
  collection: CollectionName,
  header: Header,
  reading: Reading,
): JudgedRow {
  const { columns, isOwn } = header;
  if (cells.length !== columns.length) {
    const column = columns[cells.length]?.header ?? String(columns.length + 1);
    const problem = `the row has ${counted(cells.length, 'value')}; the header has ${columns.length}`;
    return badRow(line, column, problem, String(cells[columns.length] ?? ''));
  }
  const problems: Problem[] = [];
  const members: [string, JsonValue][] = [];
  for (const [index, { header: name, property, known }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const isNameless = name === '' && !isOwn;
    const found: CellValue = isNameless
      ? { ok: false, problem: 'the value has no header above it' }
      : valueOfCell(cell, known, { ...reading, isOwn });
    const column = isNameless ? String(index + 1) : name;
    if (found.ok) members.push([property, found.value]);
    else problems.push({ column, problem: found.problem, value: String(cell) });
  }
  // Object.fromEntries defines own properties, even `__proto__`.
  const record = Object.fromEntries(members) as JsonObject;
  if (problems.length > 0) return { line, record, problems };
  return judged(line, record, collection, columns);
}

function judged(
  line: number,
  record: JsonObject,
  collection: CollectionName,
  columns: readonly Column[] = [],
): JudgedRow {
  if (Buffer.byteLength(JSON.stringify(record)) > REQUEST_BODY_MAX_BYTES) {
    const problem = `the record is longer than ${REQUEST_BODY_MAX_BYTES} bytes; the service accepts no more`;
    return badRow(line, '', problem, '');
  }
  const verdict = validated(collection, record);
  if (verdict.ok) return { line, record, problems: [] };
  const problems = ruleProblems(collection, verdict.failure.message).map((problem) => {
    const property = problem.split(' ', 1)[0] ?? '';
    const column = columns.find((each) => each.property === property)?.header ?? property;
    const value = Object.hasOwn(record, property) ? record[property] : '';
    return { column, problem, value: typeof value === 'string' ? value : JSON.stringify(value) };
  });
  return { line, record, problems };
}

function badRow(line: number, column: string, problem: string, value: string): JudgedRow {
  return { line, record: {}, problems: [{ column, problem, value }] };
}

/** The service's message is about a request's body; here it is about a row. */
function ofRecord(message: string): string {
  return message.replace('the body', 'the record').split('; ', 1)[0] ?? message;
}

/** The validation message names every invalid property. Each becomes a separate problem. */
function ruleProblems(collection: CollectionName, message: string): string[] {
  const names = COLLECTIONS[collection].required;
  const start = new RegExp(`(?:^|; )(?=(?:${names.join('|')}) is )`);
  return message.split(start).filter((problem) => problem !== '');
}
