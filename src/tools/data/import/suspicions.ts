// What a person should check before an import: rows that are valid, but probably mistakes.
// A suspicion is only a warning; nothing is refused.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import type { JsonObject } from '../../../core/domain/json.js';
import { INVISIBLE } from '../cell-values.js';

const SUM_WORDS = /^\s*(?:jumla|(?:grand |sub-?)?totals?|sum)\b/i;
const PHONE_NAMES = /phone|simu|mobile|^tel/i;
/** A spreadsheet that treats it as a quantity drops a leading zero or plus sign. */
const WITHOUT_BEGINNING = /^[1-9]\d{6,14}$/;

export class Suspicions {
  /** The sum of each amount over all rows but the last. */
  readonly #sums: Map<string, number>;
  #rows = 0;
  #last = { place: '', record: {} as JsonObject };
  #phones = 0;
  #firstPhone = '';
  #invisible = 0;
  #firstInvisible = '';

  constructor(collection: CollectionName) {
    const money = COLLECTIONS[collection].properties.filter(({ kind }) => kind === 'money');
    this.#sums = new Map(money.map(({ name }) => [name, 0]));
  }

  /** To be called for every row, even one with problems. */
  add(place: string, record: JsonObject): void {
    for (const [name, sum] of this.#sums) this.#sums.set(name, sum + this.#amountInLast(name));
    this.#rows++;
    this.#last = { place, record };
    for (const [property, value] of Object.entries(record)) {
      if (typeof value === 'string' && value.search(INVISIBLE) !== -1) {
        this.#invisible++;
        this.#firstInvisible ||= `${place}: ${property}`;
      }
      if (!PHONE_NAMES.test(property) || !WITHOUT_BEGINNING.test(String(value))) continue;
      this.#phones++;
      this.#firstPhone ||= `${place}: a telephone number begins with neither 0 nor + ("${value}"`;
    }
  }

  /** `equal`: how many rows are equal to an earlier one, and where the first of them is. */
  sentences(equal: { readonly count: number; readonly first: string }): string[] {
    const sum = this.#sumInLast();
    return [
      sum &&
        `${this.#last.place}: the last row looks like a sum (${sum}); remove it, or it becomes a record`,
      equal.count > 0 &&
        `${equal.first}: a row is equal to an earlier one (${equal.count} in all); each becomes a record of its own`,
      this.#phones > 0 &&
        `${this.#firstPhone}, ${this.#phones} in all); a spreadsheet may have removed it`,
      this.#invisible > 0 &&
        `${this.#firstInvisible} has invisible characters (${this.#invisible} values in all); a search won't find what people type`,
    ].filter((sentence) => typeof sentence === 'string');
  }

  /** Undefined: the last row isn't a sum. */
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
