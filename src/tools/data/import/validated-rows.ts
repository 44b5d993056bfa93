// Validates each row of a file by the service's own rules before anything is sent. The result is the
// record that would be stored, or the row's problems.

import { fieldProblems } from '../../../clients/client/field-problems.js';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import { type JsonObject, type JsonValue, parseJsonObject } from '../../../core/domain/json.js';
import { REQUEST_BODY_MAX_BYTES } from '../../../core/domain/limits.js';
import { validated } from '../../../core/domain/record.js';
import {
  BLANK_FORMULA,
  type Cell,
  type CellReading,
  isCellError,
  isEmptyCell,
  parseCell,
  textOfCell,
} from '../cell-values.js';
import { CommandError, counted } from '../errors.js';
import { type Column, type Header, headerIn } from './columns.js';
import type { Problem } from './report.js';
import type { SourceFile } from './source-file.js';
import { csvRows, type JsonRow, jsonArrayRows, ndjsonRows, type SheetRow } from './text-rows.js';
import { workbookRows } from './workbook-rows.js';

/** The options for reading the file. */
export interface Reading extends Omit<CellReading, 'isExport'> {
  /** Properties by header. */
  readonly map?: ReadonlyMap<string, string> | undefined;
  /** Default: detected from the first line. */
  readonly delimiter?: string | undefined;
  readonly sheet?: string | undefined;
  /** Skip rows that a spreadsheet program doesn't show. */
  readonly skipHidden?: boolean | undefined;
}

export interface ValidatedRow {
  readonly line: number;
  /** If the row has problems, only the values that could be read. */
  readonly record: JsonObject;
  readonly problems: readonly Problem[];
}

export interface ValidatedRows {
  /** In the file's order. */
  readonly rows: readonly ValidatedRow[];
  /** About the file's other lines, and about hidden rows. */
  readonly notes: readonly string[];
}

/** This many rows are searched for the header. */
const HEADER_WITHIN_ROWS = 20;

/** Throws a `CommandError` or a `UsageError` about the file as a whole. */
export async function validatedRows(
  source: SourceFile,
  collection: CollectionName,
  reading: Reading,
): Promise<ValidatedRows> {
  switch (source.format) {
    case 'csv':
      return fromSheet(csvRows(source, reading.delimiter), source, collection, reading);
    case 'xlsx':
      return fromSheet(await workbookRows(source, reading.sheet), source, collection, reading);
    case 'json':
      return fromJson(jsonArrayRows(source), collection);
    case 'ndjson':
      return fromJson(ndjsonRows(source), collection);
  }
}

function fromJson(given: readonly JsonRow[], collection: CollectionName): ValidatedRows {
  const rows = given.map(({ line, json }) => {
    const outcome = parseJsonObject(json);
    if (outcome.ok) return validatedRow(line, outcome.value, collection);
    // The service's message is about a request body.
    const [problem = ''] = outcome.failure.message.replace('the body', 'the record').split('; ');
    return badRow(line, '', problem, json.trim());
  });
  return { rows, notes: [] };
}

function fromSheet(
  given: readonly SheetRow[],
  { path }: SourceFile,
  collection: CollectionName,
  reading: Reading,
): ValidatedRows {
  const filled = given.filter(({ cells }) => cells.some(isFilled));
  if (filled.length === 0) {
    throw new CommandError(`${path} has no header; its first line must name the columns`);
  }
  const head = filled.slice(0, HEADER_WITHIN_ROWS);
  const header = headerIn(path, head, collection, reading.map);
  const below = filled.slice(header.index + 1);
  const shown = below.filter(({ isHidden = false }) => !isHidden);
  const { skipHidden } = reading;
  const note = (count: number, noun: string, what: string) =>
    count === 0 ? [] : [`${counted(count, noun)} ${what}`];
  const hidden = skipHidden ? 'left out' : 'among them; --skip-hidden leaves such rows out';
  return {
    rows: (skipHidden ? shown : below).map((row) => rowOfSheet(row, collection, header, reading)),
    notes: [
      ...note(header.index, 'line', 'above the header left out'),
      ...note(given.length - filled.length, 'empty line', 'skipped'),
      ...note(below.length - shown.length, 'hidden or filtered row', hidden),
    ],
  };
}

function isFilled(cell: Cell): boolean {
  if (isCellError(cell)) return cell !== BLANK_FORMULA;
  return textOfCell(cell).trim() !== '';
}

/** An empty cell sets no property, so that the service's default applies. */
function rowOfSheet(
  { line, cells }: SheetRow,
  collection: CollectionName,
  { columns, isExport }: Header,
  reading: Reading,
): ValidatedRow {
  if (cells.length !== columns.length) {
    const column = columns[cells.length]?.header ?? String(columns.length + 1);
    const problem = `the row has ${counted(cells.length, 'value')}; the header has ${columns.length}`;
    return badRow(line, column, problem, textOfCell(cells[columns.length]));
  }
  const problems: Problem[] = [];
  const members: [string, JsonValue][] = [];
  for (const [index, { header, property, known }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (isEmptyCell(cell, known)) continue;
    if (header === '' && !isExport) {
      const problem = 'the value has no header above it';
      problems.push({ column: String(index + 1), problem, value: textOfCell(cell) });
      continue;
    }
    const found = parseCell(cell, known, { ...reading, isExport });
    if (found.ok) members.push([property, found.value]);
    else problems.push({ column: header, problem: found.problem, value: textOfCell(cell) });
  }
  // Object.fromEntries defines own properties, even `__proto__`.
  const record = Object.fromEntries(members) as JsonObject;
  if (problems.length > 0) return { line, record, problems };
  return validatedRow(line, record, collection, columns);
}

function validatedRow(
  line: number,
  record: JsonObject,
  collection: CollectionName,
  columns: readonly Column[] = [],
): ValidatedRow {
  if (Buffer.byteLength(JSON.stringify(record)) > REQUEST_BODY_MAX_BYTES) {
    const problem = `the record is longer than ${REQUEST_BODY_MAX_BYTES} bytes; the service accepts no more`;
    return badRow(line, '', problem, '');
  }
  const outcome = validated(collection, record);
  if (outcome.ok) return { line, record, problems: [] };
  const fields = Object.entries(fieldProblems(outcome.failure.message, record));
  const problems = fields.map(([property, { message }]) => {
    const column = columns.find((each) => each.property === property)?.header ?? property;
    const value = Object.hasOwn(record, property) ? record[property] : '';
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    return { column, problem: `${property} ${message}`, value: shown };
  });
  return { line, record, problems };
}

function badRow(line: number, column: string, problem: string, value: string): ValidatedRow {
  return { line, record: {}, problems: [{ column, problem, value }] };
}
