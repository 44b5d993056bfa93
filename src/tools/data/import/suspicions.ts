// What a person should look at before an import: rows that are valid, and probably meant
// otherwise. A suspicion is a warning; it refuses nothing.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import type { JsonObject } from '../../../core/domain/json.js';

interface Finding {
  count: number;
  readonly line: number;
  readonly value: string;
}

const SUM_WORDS = /^\s*(?:jumla|(?:grand |sub-?)?totals?|sum)\b/i;
const PHONE_NAMES = /phone|simu|mobile|^tel/i;
/** A spreadsheet that takes it for a quantity removes a zero or a plus sign at its beginning. */
const WITHOUT_BEGINNING = /^[1-9]\d{6,14}$/;

export class Suspicions {
  readonly #amounts: readonly string[];
  readonly #sums = new Map<string, number>();
  #rows = 0;
  #last: { readonly line: number; readonly record: JsonObject } | undefined;
  #phones: Finding | undefined;

  constructor(collection: CollectionName) {
    const money = COLLECTIONS[collection].properties.filter(({ kind }) => kind === 'money');
    this.#amounts = money.map(({ name }) => name);
  }

  /** Every row, also one with problems. */
  add(line: number, record: JsonObject): void {
    this.#addLast();
    this.#last = { line, record };
    for (const [property, value] of Object.entries(record)) {
      if (!PHONE_NAMES.test(property) || !WITHOUT_BEGINNING.test(String(value))) continue;
      this.#phones ??= { count: 0, line, value: String(value) };
      this.#phones.count++;
    }
  }

  /** `equal`: rows that are equal to an earlier one, and the first of them. */
  sentences(equal: { readonly count: number; readonly line: number }): string[] {
    const found: string[] = [];
    const sum = this.#sumInLast();
    if (sum !== undefined && this.#last !== undefined) {
      found.push(
        `line ${this.#last.line}: the last row looks like a sum (${sum}); remove it, or it becomes a record`,
      );
    }
    if (equal.count > 0) {
      found.push(
        `line ${equal.line}: ${equal.count} rows are equal to an earlier one; each becomes a record of its own`,
      );
    }
    if (this.#phones !== undefined) {
      const { count, line, value } = this.#phones;
      found.push(
        `line ${line}: ${count} telephone numbers begin with neither 0 nor + (${JSON.stringify(value)}); a spreadsheet may have removed it`,
      );
    }
    return found;
  }

  #addLast(): void {
    if (this.#last === undefined) return;
    this.#rows++;
    for (const name of this.#amounts) {
      this.#sums.set(name, (this.#sums.get(name) ?? 0) + amountIn(this.#last.record, name));
    }
  }

  /** Undefined: it is not one. */
  #sumInLast(): string | undefined {
    const record = this.#last?.record ?? {};
    const [first] = Object.values(record);
    if (typeof first === 'string' && SUM_WORDS.test(first)) return JSON.stringify(first);
    const name = this.#amounts.find((amount) => {
      const sum = this.#sums.get(amount) ?? 0;
      return this.#rows > 1 && sum > 0 && sum === amountIn(record, amount);
    });
    return name && `${name} is ${record[name]}, as all rows above it together`;
  }
}

function amountIn(record: JsonObject, name: string): number {
  const value = Object.hasOwn(record, name) ? record[name] : 0;
  return typeof value === 'number' ? value : 0;
}
