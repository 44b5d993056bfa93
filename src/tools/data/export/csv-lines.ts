// Records as lines of CSV. The header has all properties of all records; nested values
// are JSON. An import of such a file gives the same records.

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
  /** Before the fraction of a number. */
  readonly decimal: DecimalMark;
  /** For Excel: a byte order mark, and no cell that a spreadsheet program takes for a formula. */
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

/** `collection`: of a record. Other rows are not imported, and their empty values are empty cells. */
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
    // Quotes keep a text with other line ends, or with spaces at its ends, as it is.
    quoted_match: /^\s|\s$|[\r\n]/,
  });
}
