// Records as lines of CSV. The header has all properties of all records; nested values
// are JSON. Importing such a file creates the same records.

import { stringify } from 'csv-stringify/sync';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import type { JsonValue } from '../../../core/domain/json.js';
import { cellOfValue } from '../cell-values.js';
import { CommandError } from '../failures.js';
import type { DecimalMark } from '../number-text.js';

const COLUMNS_MAX = 5_000;
/** A header is text, whatever it looks like. */
const HEADER = COLLECTIONS.customers.properties.find(({ name }) => name === 'name');

export interface CsvStyle {
  readonly delimiter: string;
  /** Precedes the fraction of a number. */
  readonly decimal: DecimalMark;
  /** For Excel: a byte order mark, and no cell that a spreadsheet program treats as a formula. */
  readonly isForExcel: boolean;
}

/** Collects the header: the properties in order of appearance. */
export function addColumns(columns: Set<string>, row: object): void {
  for (const name of Object.keys(row)) columns.add(name);
  if (columns.size > COLUMNS_MAX) {
    throw new CommandError(
      `the records have more than ${COLUMNS_MAX} different properties; export with --format ndjson`,
    );
  }
}

export function csvHeader(columns: ReadonlySet<string>, style: CsvStyle): string {
  const cells = [...columns].map((name) => cellOfValue(name, HEADER, style));
  return (style.isForExcel ? '\ufeff' : '') + csvLine(cells, style);
}

/** `collection`: of a record. Other rows are never imported, so their null values are empty cells. */
export function csvRow(
  row: Readonly<Record<string, unknown>>,
  columns: ReadonlySet<string>,
  style: CsvStyle,
  collection?: CollectionName,
): string {
  const properties = collection === undefined ? [] : COLLECTIONS[collection].properties;
  const cells = [...columns].map((name) => {
    const value = Object.hasOwn(row, name) ? (row[name] as JsonValue) : undefined;
    if (value === undefined || (value === null && collection === undefined)) return '';
    return cellOfValue(
      value,
      properties.find((property) => property.name === name),
      style,
    );
  });
  return csvLine(cells, style);
}

function csvLine(cells: readonly string[], { delimiter }: CsvStyle): string {
  return stringify([[...cells]], {
    delimiter,
    record_delimiter: '\r\n',
    // Quotes preserve other line breaks in a text, and spaces at its ends.
    quoted_match: /^\s|\s$|[\r\n]/,
  });
}
