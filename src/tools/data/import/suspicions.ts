// What a person should check before an import: rows that are valid, but probably mistakes.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import type { JsonObject } from '../../../core/domain/json.js';
import { INVISIBLE } from '../cell-values.js';

interface Row {
  readonly line: number;
  readonly record: JsonObject;
}

const SUM_WORDS = /^\s*(?:jumla|(?:grand |sub-?)?totals?|sum)\b/i;
const PHONE_NAMES = /phone|simu|mobile|^tel/i;
/** A spreadsheet that treats it as a quantity drops a leading zero or plus sign. */
const WITHOUT_BEGINNING = /^[1-9]\d{6,14}$/;

/** Of all rows, including those with problems. `place`: of a line, for people. */
export function suspicions(
  rows: readonly Row[],
  collection: CollectionName,
  place: (line: number) => string,
): string[] {
  const warnings: string[] = [];
  const [last, sum] = [rows.at(-1), sumInLast(rows, collection)];
  if (last !== undefined && sum !== undefined) {
    warnings.push(
      `${place(last.line)}: the last row looks like a sum (${sum}); remove it, or it becomes a record`,
    );
  }
  const values = rows.flatMap(({ line, record }) =>
    Object.entries(record).map(([property, value]) => ({ line, property, value })),
  );
  const phones = values.filter(
    ({ property, value }) => PHONE_NAMES.test(property) && WITHOUT_BEGINNING.test(String(value)),
  );
  const [phone] = phones;
  if (phone !== undefined) {
    warnings.push(
      `${place(phone.line)}: a telephone number begins with neither 0 nor + ("${phone.value}", ${phones.length} in all); a spreadsheet may have removed it`,
    );
  }
  const marked = values.filter(
    ({ value }) => typeof value === 'string' && value.search(INVISIBLE) !== -1,
  );
  const [mark] = marked;
  if (mark !== undefined) {
    warnings.push(
      `${place(mark.line)}: ${mark.property} has invisible characters (${marked.length} in all); a search won't find what people type`,
    );
  }
  return warnings;
}

/** Undefined: the last row isn't a sum. */
function sumInLast(rows: readonly Row[], collection: CollectionName): string | undefined {
  const { record } = rows.at(-1) ?? { record: {} };
  const [first] = Object.values(record);
  if (typeof first === 'string' && SUM_WORDS.test(first)) return JSON.stringify(first);
  const amountIn = (row: JsonObject, name: string) => Number(row[name]) || 0;
  for (const { name, kind } of rows.length > 2 ? COLLECTIONS[collection].properties : []) {
    if (kind !== 'money') continue;
    const sum = rows.slice(0, -1).reduce((total, row) => total + amountIn(row.record, name), 0);
    if (sum > 0 && sum === amountIn(record, name)) {
      return `${name} is ${sum}, the sum of all rows above it`;
    }
  }
  return undefined;
}
