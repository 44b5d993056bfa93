// Judges each row of a file by the service's own rules before anything is sent. The result
// is the record that would be stored, or the problems of the row.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS, DEFAULT_CURRENCY } from '../../../core/domain/collections.js';
import { type JsonObject, type JsonValue, parseJsonObject } from '../../../core/domain/json.js';
import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import { validated } from '../../../core/domain/record.js';
import {
  type CellReading,
  type CellValue,
  refusedThousandths,
  valueOfCell,
} from '../cell-values.js';
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

/** Lines that become no record. */
export interface LeftOut {
  /** Empty, or with separators alone. */
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
  let sheet: Sheet | undefined;
  function* begun() {
    const header = headerIn(source.path, head, collection, reading.map);
    sheet = new Sheet(header, collection, reading);
    leftOut.aboveHeader = header.index;
    for (const row of head.slice(header.index + 1)) yield sheet.judged(row);
    head = [];
  }
  const rows =
    source.format === 'csv'
      ? csvRows(source, reading.delimiter)
      : workbookRows(source, reading.sheet);
  for await (const row of rows) {
    if (
      row.cells.every((cell) => cell === null || (typeof cell === 'string' && cell.trim() === ''))
    )
      leftOut.empty++;
    else if (sheet !== undefined) yield sheet.judged(row);
    else if (head.push(row) === HEADER_WITHIN_ROWS) yield* begun();
  }
  if (head.length > 0) yield* begun();
  if (sheet === undefined) {
    throw new UnreadableFile(
      source.path,
      1,
      'the file has no header; its first line must name the columns',
    );
  }
}

/** A file of rows and columns. What one amount looks like says what another may mean. */
class Sheet {
  readonly #header: Header;
  readonly #collection: CollectionName;
  readonly #reading: Reading;
  readonly #currencyAt: number;
  /** The lines of the first amounts that were written so. */
  #thousandsAt: number | undefined;
  #thousandthsAt: number | undefined;

  constructor(header: Header, collection: CollectionName, reading: Reading) {
    this.#header = header;
    this.#collection = collection;
    this.#reading = reading;
    this.#currencyAt = header.columns.findIndex(({ property }) => property === 'currency');
  }

  /** An empty cell becomes no property, so that the service's defaults apply. */
  judged(row: SheetRow): JudgedRow {
    const { columns, isOwn } = this.#header;
    const { line, cells } = row;
    if (cells.length !== columns.length) return this.#ofOtherLength(row);
    const reading: CellReading = {
      ...this.#reading,
      isOwn,
      currency: String(cells[this.#currencyAt] || DEFAULT_CURRENCY)
        .trim()
        .toUpperCase(),
    };
    const problems: Problem[] = [];
    const members: [string, JsonValue][] = [];
    for (const [index, { header, property, known }] of columns.entries()) {
      const cell = cells[index] ?? '';
      if (cell === '') continue;
      if (header === '' && !isOwn) {
        const column = String(index + 1);
        const problem = 'the value has no header above it';
        problems.push({ line, column, problem, value: String(cell) });
        continue;
      }
      const found = this.#beside(line, valueOfCell(cell, known, reading), String(cell));
      if (found.ok) members.push([property, found.value]);
      else {
        const { problem, option } = found;
        problems.push({
          line,
          column: header,
          problem,
          value: String(cell),
          ...(option && { option }),
        });
      }
    }
    // Object.fromEntries defines own properties, also `__proto__`.
    const record = Object.fromEntries(members) as JsonObject;
    return judged(line, record, problems, this.#collection, this.#header);
  }

  /** Thousandths in a currency that has them are refused beside thousands, and thousands beside them. */
  #beside(line: number, found: CellValue, text: string): CellValue {
    if (!found.ok || found.amount === undefined) return found;
    const { hasThousands, hasThousandths } = found.amount;
    const other = hasThousandths
      ? this.#thousandsAt
      : hasThousands
        ? this.#thousandthsAt
        : undefined;
    if (hasThousands) this.#thousandsAt ??= line;
    if (hasThousandths) this.#thousandthsAt ??= line;
    return other === undefined || other === line
      ? found
      : refusedThousandths(text, `line ${other} uses the marks otherwise`);
  }

  #ofOtherLength({ line, cells }: SheetRow): JudgedRow {
    const { columns } = this.#header;
    const isShort = cells.length < columns.length;
    const column = isShort ? (columns[cells.length]?.header ?? '') : String(columns.length + 1);
    const problem = `the row has ${cells.length} values; the header has ${columns.length}`;
    const value = isShort ? '' : String(cells[columns.length] ?? '');
    return { line, record: {}, body: '', problems: [{ line, column, problem, value }] };
  }
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
    const problem = `the record is longer than ${REQUEST_BODY_MAX_BYTES} bytes; the service takes no more`;
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

/** The service's message speaks of a request's body; here it must speak of a row. */
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
