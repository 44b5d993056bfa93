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
  #last = { place: '', record: {} as JsonObject };
  #phones = 0;
  #firstPhone = '';

  constructor(collection: CollectionName) {
    const money = COLLECTIONS[collection].properties.filter(({ kind }) => kind === 'money');
    this.#sums = new Map(money.map(({ name }) => [name, 0]));
  }

  /** Every row, also one with problems. */
  add(place: string, record: JsonObject): void {
    for (const [name, sum] of this.#sums) this.#sums.set(name, sum + this.#amountInLast(name));
    this.#rows++;
    this.#last = { place, record };
    for (const [property, value] of Object.entries(record)) {
      if (!PHONE_NAMES.test(property) || !WITHOUT_BEGINNING.test(String(value))) continue;
      this.#phones++;
      this.#firstPhone ||= `${place}: a telephone number begins with neither 0 nor + ("${value}"`;
    }
  }

  /** `equal`: how many rows are equal to an earlier one; `first`: where the first of them is. */
  sentences(equal: number, first: string): string[] {
    const sum = this.#sumInLast();
    return [
      sum &&
        `${this.#last.place}: the last row looks like a sum (${sum}); remove it, or it becomes a record`,
      equal > 0 &&
        `${first}: a row is equal to an earlier one (${equal} in all); each becomes a record of its own`,
      this.#phones > 0 &&
        `${this.#firstPhone}, ${this.#phones} in all); a spreadsheet may have removed it`,
    ].filter((sentence) => typeof sentence === 'string');
  }

  /** Undefined: it is not one. */
  #sumInLast(): string | undefined {
    const [first] = Object.values(this.#last.record);
    if (typeof first === 'string' && SUM_WORDS.test(first)) return JSON.stringify(first);
    const [sum] = [...this.#sums].filter(
      ([name, sum]) => this.#rows > 2 && sum > 0 && sum === this.#amountInLast(name),
    );
    return sum && `${sum[0]} is ${sum[1]}, the sum of all rows above it`;
  }

  #amountInLast(name: string): number {
    return Number(this.#last.record[name]) || 0;
  }
}
