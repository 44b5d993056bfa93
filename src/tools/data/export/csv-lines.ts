// Writes records as CSV. The header has every property of any record; nested values are JSON. An import
// of such a file creates the same records.

import { stringify } from 'csv-stringify/sync';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import type { JsonValue } from '../../../core/domain/json.js';
import { cellOfValue, type DecimalMark } from '../cell-values.js';

/** Header cells are escaped like a text property. */
const HEADER = COLLECTIONS.customers.properties.find(({ name }) => name === 'name');

export interface CsvStyle {
  readonly delimiter: string;
  /** Precedes the fraction of a number. */
  readonly decimal: DecimalMark;
  /** With a byte order mark, and texts escaped that a spreadsheet program treats as a formula or a number. */
  readonly isForExcel: boolean;
}

export function csvHeader(columns: ReadonlySet<string>, style: CsvStyle): string {
  const cells = [...columns].map((name) => cellOfValue(name, HEADER, style));
  return (style.isForExcel ? '\ufeff' : '') + csvLine(cells, style);
}

/** `collection`: undefined for rows that are not records. These are never imported, so their nulls are empty cells. */
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
