// Judges each row of a file by the service's own rules before anything is sent. The result
// is the record that would be stored, or the problems of the row.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import { type JsonObject, parseJsonObject } from '../../../core/domain/json.js';
import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import { validated } from '../../../core/domain/record.js';
import { CommandError } from '../failures.js';
import { type DecimalMark, numberOfText } from '../number-text.js';
import { numberProblem, textProblem } from './cell-problems.js';
import { type Column, columnsOf } from './columns.js';
import { type CsvRow, csvRows } from './csv-rows.js';
import { jsonArrayRows, ndjsonRows } from './json-rows.js';
import { type Problem, UnreadableFile } from './problem.js';
import type { SourceFile } from './source-file.js';

/** The operator's options for reading the file. */
export interface Reading {
  /** Properties by header. */
  readonly map: ReadonlyMap<string, string>;
  /** Undefined: the first line decides. */
  readonly delimiter: string | undefined;
  readonly decimal: DecimalMark | undefined;
}

export interface JudgedRow {
  /** From 1, among all rows of the file. */
  readonly row: number;
  readonly line: number;
  /** The JSON of the request. Not to be used if the row has problems. */
  readonly body: string;
  readonly problems: readonly Problem[];
}

/**
 * Yields every row in the file's order; `skipped` is called for each line that is empty or has
 * separators alone. Throws an `UnreadableFile`, a `CommandError` or a `UsageError` for the file as a whole.
 */
export async function* judgedRows(
  source: SourceFile,
  collection: CollectionName,
  reading: Reading,
  skipped: () => void,
): AsyncGenerator<JudgedRow, void> {
  let row = 0;
  if (source.format === 'csv') {
    let columns: Column[] | undefined;
    for await (const found of csvRows(source, reading.delimiter)) {
      const isEmptyLine = found.cells.length === 1 && found.cells[0] === '';
      if (found.cells.every((cell) => cell.trim() === '')) {
        skipped();
        // The journal of an import that an earlier release began counts rows of separators.
        if (!isEmptyLine && columns !== undefined) row++;
        continue;
      }
      if (columns === undefined) {
        columns = columnsOf(source.path, found.line, found.cells, reading.map);
        expectRequired(source, collection, columns);
        continue;
      }
      const { record, problems } = recordOf(found, columns, reading.decimal);
      yield judged(++row, found.line, record, problems, collection, columns);
    }
    if (columns === undefined) throw emptyFile(source);
    return;
  }
  const rows = source.format === 'json' ? jsonArrayRows(source) : ndjsonRows(source);
  for await (const { line, text } of rows) {
    const outcome = parseJsonObject(text);
    const problem = outcome.ok ? '' : ofRecord(outcome.failure.message);
    const problems = outcome.ok ? [] : [{ line, column: '', problem, value: text.trim() }];
    yield judged(++row, line, outcome.ok ? outcome.value : {}, problems, collection, []);
  }
}

/** A required property without a column is reported once, and not for each row. */
function expectRequired(
  { path }: SourceFile,
  collection: CollectionName,
  columns: readonly Column[],
): void {
  const missing = COLLECTIONS[collection].required.filter(
    (property) => !columns.some((column) => column.property === property),
  );
  if (missing.length === 0) return;
  const headers = columns.map(({ header }) => JSON.stringify(header)).join(', ');
  const example = missing.map((property) => `HEADER=${property}`).join(',');
  throw new CommandError(
    `${path}: no column is ${missing.join(', nor ')}, which ${collection} must have; the columns are ${headers}; pass --map "${example}", or another --delimiter`,
  );
}

function judged(
  row: number,
  line: number,
  record: JsonObject,
  problems: readonly Problem[],
  collection: CollectionName,
  columns: readonly Column[],
): JudgedRow {
  if (problems.length > 0) return { row, line, body: '', problems };
  const body = JSON.stringify(record);
  if (Buffer.byteLength(body) > REQUEST_BODY_MAX_BYTES) {
    const problem = `the record is longer than ${REQUEST_BODY_MAX_BYTES} bytes; the service takes no more`;
    return { row, line, body, problems: [{ line, column: '', problem, value: '' }] };
  }
  const verdict = validated(collection, record);
  if (verdict.ok) return { row, line, body, problems };
  const found = ruleProblems(collection, verdict.failure.message).map(({ property, problem }) => ({
    line,
    column: columns.find((column) => column.property === property)?.header ?? property,
    problem,
    value: valueText(record, property),
  }));
  return { row, line, body, problems: found };
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

/** An empty cell becomes no property, so that the service's defaults apply. */
function recordOf({ line, cells }: CsvRow, columns: readonly Column[], mark?: DecimalMark) {
  const problems: Problem[] = [];
  if (cells.length !== columns.length) {
    const isShort = cells.length < columns.length;
    const column = isShort ? (columns[cells.length]?.header ?? '') : String(columns.length + 1);
    const problem = `the row has ${cells.length} values; the header has ${columns.length}`;
    const value = isShort ? '' : (cells[columns.length] ?? '');
    return { record: {}, problems: [{ line, column, problem, value }] };
  }
  const members: [string, string | number][] = [];
  for (const [index, { header, property, isNumber }] of columns.entries()) {
    const value = cells[index] ?? '';
    const add = (problem: string) => problems.push({ line, column: header, problem, value });
    if (value === '') continue;
    if (header === '') {
      const column = String(index + 1);
      problems.push({ line, column, problem: 'the value has no header above it', value });
      continue;
    }
    const problem = textProblem(property, value);
    const number = isNumber && problem === undefined ? numberOfText(value, mark) : undefined;
    if (problem !== undefined) add(problem);
    else if (number === undefined) members.push([property, value]);
    else if (number.ok) members.push([property, number.value]);
    else {
      const isAmbiguous = number.why === 'ambiguous';
      problems.push({
        line,
        column: header,
        problem: numberProblem(number, mark),
        value,
        isAmbiguous,
      });
    }
  }
  // Object.fromEntries defines own properties, also `__proto__`.
  return { record: Object.fromEntries(members) as JsonObject, problems };
}

function emptyFile(source: SourceFile): UnreadableFile {
  const problem = 'the file has no header; its first line must name the columns';
  return new UnreadableFile(source.path, { line: 1, column: '', problem, value: '' });
}
