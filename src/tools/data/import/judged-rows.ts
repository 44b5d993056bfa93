// Judges each row of a file by the service's own rules before anything is sent. The result
// is the record that would be stored, or the problems of the row.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import { type JsonObject, type JsonValue, parseJsonObject } from '../../../core/domain/json.js';
import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import { validated } from '../../../core/domain/record.js';
import { type CellReading, type CellValue, valueOfCell } from '../cell-values.js';
import { type Header, headerIn } from './columns.js';
import { csvRows, type SheetRow } from './csv-rows.js';
import { jsonArrayRows, ndjsonRows } from './json-rows.js';
import { type Problem, UnreadableFile } from './problem.js';
import type { SourceFile } from './source-file.js';
import { workbookRows } from './workbook-rows.js';

/** The operator's options for reading the file. */
export interface Reading extends Pick<CellReading, 'decimal' | 'dates'> {
  /** Properties by header. */
  readonly map: ReadonlyMap<string, string>;
  /** Undefined: the first line decides. */
  readonly delimiter: string | undefined;
  /** Of a workbook. */
  readonly sheet: string | undefined;
}

export interface JudgedRow {
  readonly line: number;
  /** Of a row with problems, what could be read of it. */
  readonly record: JsonObject;
  /** The JSON of the request. Not to be used if the row has problems. */
  readonly body: string;
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
 * Yields every row in the file's order, and counts the others in `leftOut`. Throws an
 * `UnreadableFile`, a `CommandError` or a `UsageError` for the file as a whole.
 */
export async function* judgedRows(
  source: SourceFile,
  collection: CollectionName,
  reading: Reading,
  leftOut: LeftOut,
): AsyncGenerator<JudgedRow, void> {
  if (source.format === 'csv' || source.format === 'xlsx') {
    yield* sheetRows(source, collection, reading, leftOut);
    return;
  }
  const rows = source.format === 'json' ? jsonArrayRows(source) : ndjsonRows(source);
  for await (const { line, text } of rows) {
    const outcome = parseJsonObject(text);
    const problem = outcome.ok ? '' : ofRecord(outcome.failure.message);
    const problems = outcome.ok ? [] : [{ line, column: '', problem, value: text.trim() }];
    yield judged(line, outcome.ok ? outcome.value : {}, problems, collection);
  }
}

async function* sheetRows(
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
  const rows =
    source.format === 'csv'
      ? csvRows(source, reading.delimiter)
      : workbookRows(source, reading.sheet);
  for await (const row of rows) {
    if (row.cells.every((cell) => String(cell ?? '').trim() === '')) leftOut.empty++;
    else if (header !== undefined) yield judgedRow(row, collection, header, reading);
    else if (head.push(row) === HEADER_WITHIN_ROWS) yield* begun();
  }
  if (head.length > 0) yield* begun();
  if (header !== undefined) return;
  const problem = 'the file has no header; its first line must name the columns';
  throw new UnreadableFile(source.path, 1, problem);
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
    const isShort = cells.length < columns.length;
    const column = isShort ? (columns[cells.length]?.header ?? '') : String(columns.length + 1);
    const problem = `the row has ${cells.length} values; the header has ${columns.length}`;
    const value = isShort ? '' : String(cells[columns.length] ?? '');
    return { line, record: {}, body: '', problems: [{ line, column, problem, value }] };
  }
  const problems: Problem[] = [];
  const members: [string, JsonValue][] = [];
  for (const [index, { header: name, property, known }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const isNameless = name === '' && !isOwn;
    const column = isNameless ? String(index + 1) : name;
    const found: CellValue = isNameless
      ? { ok: false, problem: 'the value has no header above it' }
      : valueOfCell(cell, known, { ...reading, isOwn });
    if (found.ok) members.push([property, found.value]);
    else problems.push({ ...found, line, column, value: String(cell) });
  }
  // Object.fromEntries defines own properties, also `__proto__`.
  const record = Object.fromEntries(members) as JsonObject;
  return judged(line, record, problems, collection, header);
}

function judged(
  line: number,
  record: JsonObject,
  problems: readonly Problem[],
  collection: CollectionName,
  header?: Header,
): JudgedRow {
  if (problems.length > 0) return { line, record, body: '', problems };
  const body = JSON.stringify(record);
  if (Buffer.byteLength(body) > REQUEST_BODY_MAX_BYTES) {
    const problem = `the record is longer than ${REQUEST_BODY_MAX_BYTES} bytes; the service accepts no more`;
    return { line, record, body, problems: [{ line, column: '', problem, value: '' }] };
  }
  const verdict = validated(collection, record);
  if (verdict.ok) return { line, record, body, problems };
  const found = ruleProblems(collection, verdict.failure.message).map(({ property, problem }) => ({
    line,
    column: header?.columns.find((column) => column.property === property)?.header ?? property,
    problem,
    value: valueText(record, property),
  }));
  return { line, record, body, problems: found };
}

/** The service's message is about a request's body; here it is about a row. */
function ofRecord(message: string): string {
  return message.replace('the body', 'the record').split('; ', 1)[0] ?? message;
}

/** The message of the rules names every property that fails. Each becomes a problem of its own. */
function ruleProblems(collection: CollectionName, message: string) {
  const names = COLLECTIONS[collection].required;
  const start = new RegExp(`(?:^|; )(?=(?:${names.join('|')}) is )`);
  return message
    .split(start)
    .filter((problem) => problem !== '')
    .map((problem) => ({ property: problem.split(' ', 1)[0] ?? '', problem }));
}

function valueText(record: JsonObject, property: string): string {
  if (!Object.hasOwn(record, property)) return '';
  const value = record[property];
  return typeof value === 'string' ? value : JSON.stringify(value);
}
