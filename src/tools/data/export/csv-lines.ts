// Records as lines of CSV. The header has all properties of all records; nested values
// are JSON. CSV loses the types of values; NDJSON keeps them.

import { stringify } from 'csv-stringify/sync';
import { CommandError } from '../failures.js';
import { type DecimalMark, textOfNumber } from '../number-text.js';

const COLUMNS_MAX = 5_000;
const ENDING = '\r\n';

export interface CsvStyle {
  readonly delimiter: string;
  /** Before the fraction of a number. */
  readonly decimal: DecimalMark;
  /** For Excel: a byte order mark, and no cell that a spreadsheet program takes for a formula. */
  readonly isForExcel: boolean;
}

/** Collects the header: the properties in the order in which they appear. */
export class Columns {
  readonly names = new Set<string>();

  add(record: object): void {
    for (const name of Object.keys(record)) this.names.add(name);
    if (this.names.size > COLUMNS_MAX) {
      throw new CommandError(
        `the records have more than ${COLUMNS_MAX} different properties; export with --format ndjson`,
      );
    }
  }
}

export function csvHeader(columns: Columns, style: CsvStyle): string {
  const mark = style.isForExcel ? '\ufeff' : '';
  return mark + csvLine([...columns.names], style);
}

export function csvRow(
  record: Readonly<Record<string, unknown>>,
  columns: Columns,
  style: CsvStyle,
) {
  const cells = [...columns.names].map((name) =>
    Object.hasOwn(record, name) ? record[name] : undefined,
  );
  return csvLine(cells, style);
}

function csvLine(cells: readonly unknown[], style: CsvStyle): string {
  return stringify([cells.map((cell) => cellOf(cell, style))], {
    delimiter: style.delimiter,
    record_delimiter: ENDING,
    // Quotes keep a text with other line ends, or with spaces at its ends, as it is.
    quoted_match: /^\s|\s$|[\r\n]/,
  });
}

/** Numbers get no apostrophe, also negative ones: they are no formulas. */
function cellOf(value: unknown, { decimal, isForExcel }: CsvStyle): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') {
    return isForExcel && /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
  }
  if (typeof value === 'number') return textOfNumber(value, decimal);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
