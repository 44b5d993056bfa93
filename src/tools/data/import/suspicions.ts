// What a person should check before an import: rows that are valid, and probably meant
// otherwise. A suspicion is a warning; it refuses nothing.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import type { JsonObject } from '../../../core/domain/json.js';

const SUM_WORDS = /^\s*(?:jumla|(?:grand |sub-?)?totals?|sum)\b/i;
const PHONE_NAMES = /phone|simu|mobile|^tel/i;
/** A spreadsheet that takes it for a quantity removes a zero or a plus sign at its beginning. */
const WITHOUT_BEGINNING = /^[1-9]\d{6,14}$/;

export class Suspicions {
  /** Of each amount, in the rows before the last one. */
  readonly #sums: Map<string, number>;
  #rows = 0;
  #last = { line: 0, record: {} as JsonObject };
  #phones = 0;
  #firstPhone = { line: 0, value: '' };

  constructor(collection: CollectionName) {
    const money = COLLECTIONS[collection].properties.filter(({ kind }) => kind === 'money');
    this.#sums = new Map(money.map(({ name }) => [name, 0]));
  }

  /** Every row, also one with problems. */
  add(line: number, record: JsonObject): void {
    const { record: before } = this.#last;
    for (const [name, sum] of this.#sums) this.#sums.set(name, sum + amountIn(before, name));
    this.#rows++;
    this.#last = { line, record };
    for (const [property, value] of Object.entries(record)) {
      const isSuspect = PHONE_NAMES.test(property) && WITHOUT_BEGINNING.test(String(value));
      if (isSuspect && this.#phones++ === 0) this.#firstPhone = { line, value: String(value) };
    }
  }

  /** `equal`: rows that are equal to an earlier one, and the first of them. */
  sentences(equal: { readonly count: number; readonly line: number }): string[] {
    const found: string[] = [];
    const sum = this.#sumInLast();
    if (sum !== undefined) {
      found.push(
        `line ${this.#last.line}: the last row looks like a sum (${sum}); remove it, or it becomes a record`,
      );
    }
    if (equal.count > 0) {
      found.push(
        `line ${equal.line}: ${equal.count} rows are equal to an earlier one; each becomes a record of its own`,
      );
    }
    if (this.#phones > 0) {
      const { line, value } = this.#firstPhone;
      found.push(
        `line ${line}: ${this.#phones} telephone numbers begin with neither 0 nor + ("${value}"); a spreadsheet may have removed it`,
      );
    }
    return found;
  }

  /** Undefined: it is not one. */
  #sumInLast(): string | undefined {
    const { record } = this.#last;
    const [first] = Object.values(record);
    if (typeof first === 'string' && SUM_WORDS.test(first)) return JSON.stringify(first);
    const [sum] = [...this.#sums].filter(
      ([name, sum]) => this.#rows > 2 && sum > 0 && sum === amountIn(record, name),
    );
    return sum && `${sum[0]} is ${sum[1]}, the sum of all rows above it`;
  }
}

function amountIn(record: JsonObject, name: string): number {
  const value = Object.hasOwn(record, name) ? record[name] : 0;
  return typeof value === 'number' ? value : 0;
}
