// Records as lines of CSV. The header has all properties of all records; nested values
// are JSON. Importing such a file creates the same records.

import { stringify } from 'csv-stringify/sync';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import type { JsonValue } from '../../../core/domain/json.js';
import { cellOfValue, type DecimalMark } from '../cell-values.js';

/** A header is text, whatever it looks like. */
const HEADER = COLLECTIONS.customers.properties.find(({ name }) => name === 'name');

export interface CsvStyle {
  readonly delimiter: string;
  /** Precedes the fraction of a number. */
  readonly decimal: DecimalMark;
  /** For Excel: a byte order mark, and no text that a spreadsheet program treats as a formula or a number. */
  readonly isForExcel: boolean;
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
