// The accounts of a start. Most are not asked for soon, so their rows are only counted and sorted
// here; an account's records are made when it is first asked for.

import { byCollection, type CollectionName } from '../domain/collection-name.js';
import type { DeferredRows, JournalRow } from './journal.js';

/** A page has at most so many rows: a row's number is its page's and its place in one integer. */
const PAGE_BITS = 16;
const PAGE_MASK = 2 ** PAGE_BITS - 1;

/** An account's rows, by position. */
export interface DeferredAccount {
  /** Undefined for the rows that no account owns. */
  readonly owner: string | undefined;
  readonly length: number;
  /** How many there are of each collection. */
  counts(): Record<CollectionName, number>;
  rows(): Iterable<JournalRow>;
}

export class DeferredAccounts {
  readonly #pages: DeferredRows[] = [];
  /** Of each row of each page its account's number. */
  readonly #accountsOfPages: Uint32Array[] = [];
  readonly #numbers = new Map<string | undefined, number>();
  readonly #counts: number[] = [];

  /** Pages come in order of position. Throws where a body is no record. */
  add(page: DeferredRows): void {
    const accounts = new Uint32Array(page.length);
    for (let i = 0; i < page.length; i++) {
      const number = this.#numberOf(page.ownerOf(i));
      accounts[i] = number;
      this.#counts[number] = (this.#counts[number] ?? 0) + 1;
    }
    this.#pages.push(page);
    this.#accountsOfPages.push(accounts);
  }

  /** Every account, once all pages are there. */
  *accounts(): Generator<DeferredAccount> {
    const ends = this.#counts.slice();
    for (let i = 1; i < ends.length; i++) ends[i] = (ends[i] ?? 0) + (ends[i - 1] ?? 0);
    const sorted = this.#sorted(ends);
    for (const [owner, number] of this.#numbers) {
      const end = ends[number] ?? 0;
      const length = this.#counts[number] ?? 0;
      const own = () => sorted.subarray(end - length, end);
      yield { owner, length, counts: () => this.#countsOf(own()), rows: () => this.#rows(own()) };
    }
  }

  /** The rows' numbers by account, and of each account by position. `ends`: where each account's end. */
  #sorted(ends: readonly number[]): Uint32Array {
    const next = ends.map((end, number) => end - (this.#counts[number] ?? 0));
    const sorted = new Uint32Array(ends.at(-1) ?? 0);
    for (const [page, accounts] of this.#accountsOfPages.entries()) {
      for (const [i, number] of accounts.entries()) {
        const at = next[number] ?? 0;
        sorted[at] = page * 2 ** PAGE_BITS + i;
        next[number] = at + 1;
      }
    }
    return sorted;
  }

  #countsOf(numbers: Uint32Array): Record<CollectionName, number> {
    const counts = byCollection(() => 0);
    for (const number of numbers) {
      const name = this.#pages[number >>> PAGE_BITS]?.collectionOf(number & PAGE_MASK);
      if (name !== undefined) counts[name]++;
    }
    return counts;
  }

  *#rows(numbers: Uint32Array): Generator<JournalRow> {
    for (const number of numbers) {
      const row = this.#pages[number >>> PAGE_BITS]?.row(number & PAGE_MASK);
      if (row !== undefined) yield row;
    }
  }

  #numberOf(owner: string | undefined): number {
    const known = this.#numbers.get(owner);
    if (known !== undefined) return known;
    const number = this.#counts.length;
    this.#numbers.set(owner === undefined ? undefined : ownText(owner), number);
    return number;
  }
}

/** The same text in a piece of memory of its own: a part of a longer text is slower to compare, and keeps all of it. */
function ownText(text: string): string {
  return JSON.parse(JSON.stringify(text));
}
