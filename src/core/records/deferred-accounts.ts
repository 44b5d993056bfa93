// The accounts of a start. Most are not asked for soon, so their rows are only counted and sorted
// here; an account's records are made when it is first asked for.

import { byCollection, type CollectionName } from '../domain/collection-name.js';
import type { DeferredRows, JournalRow } from './journal.js';

/** A page has at most so many rows: a row's number is its page's and its place in one integer. */
const PAGE_BITS = 16;
const PAGE_MASK = 2 ** PAGE_BITS - 1;

/** An account's rows, by position. */
export class DeferredAccount {
  /** Undefined for the rows that no account owns. */
  readonly owner: string | undefined;
  readonly #pages: readonly DeferredRows[];
  /** Of all accounts. */
  readonly #rowNumbers: Uint32Array;
  readonly #start: number;
  readonly #end: number;

  constructor(
    owner: string | undefined,
    pages: readonly DeferredRows[],
    rowNumbers: Uint32Array,
    [start, end]: readonly [number, number],
  ) {
    this.owner = owner;
    this.#pages = pages;
    this.#rowNumbers = rowNumbers;
    this.#start = start;
    this.#end = end;
  }

  get length(): number {
    return this.#end - this.#start;
  }

  /** How many there are of each collection. */
  counts(): Record<CollectionName, number> {
    const counts = byCollection(() => 0);
    for (const [page, place] of this.#places()) counts[page.collectionOf(place)]++;
    return counts;
  }

  *rows(): Generator<JournalRow> {
    for (const [page, place] of this.#places()) yield page.row(place);
  }

  *#places(): Generator<readonly [DeferredRows, number]> {
    for (let i = this.#start; i < this.#end; i++) {
      const number = this.#rowNumbers[i] ?? 0;
      const page = this.#pages[number >>> PAGE_BITS];
      if (page !== undefined) yield [page, number & PAGE_MASK];
    }
  }
}

export class DeferredAccounts {
  readonly #pages: DeferredRows[] = [];
  /** Of each row of each page its account's number. */
  readonly #accountsOfPages: Uint32Array[] = [];
  /** How many rows each account has, by its number. */
  readonly #counts: number[] = [];

  /** Pages come in order of position. `accounts`: of each row its owner's number. */
  add(page: DeferredRows, accounts: Uint32Array): void {
    const counts = this.#counts;
    for (let i = 0; i < accounts.length; i++) {
      const number = accounts[i] ?? 0;
      while (counts.length <= number) counts.push(0);
      counts[number] = (counts[number] ?? 0) + 1;
    }
    this.#pages.push(page);
    this.#accountsOfPages.push(accounts);
  }

  /** Every account, once all pages are there. */
  *accounts(): Generator<DeferredAccount> {
    const { starts, sorted } = this.#sorted();
    for (const [number, count] of this.#counts.entries()) {
      if (count === 0) continue;
      const owner = this.#pages[0]?.ownerNamed(number);
      const start = starts[number] ?? 0;
      yield new DeferredAccount(owner, this.#pages, sorted, [start, start + count]);
    }
  }

  /** The rows' numbers by account, and of each account by position; and where each account's start. */
  #sorted(): { starts: Uint32Array; sorted: Uint32Array } {
    const starts = new Uint32Array(this.#counts.length);
    let length = 0;
    for (const [number, count] of this.#counts.entries()) {
      starts[number] = length;
      length += count;
    }
    const next = starts.slice();
    const sorted = new Uint32Array(length);
    for (const [page, accounts] of this.#accountsOfPages.entries()) {
      const first = page * 2 ** PAGE_BITS;
      // By index: an iterator takes three times as long.
      for (let i = 0; i < accounts.length; i++) {
        const number = accounts[i] ?? 0;
        const at = next[number] ?? 0;
        sorted[at] = first + i;
        next[number] = at + 1;
      }
    }
    return { starts, sorted };
  }
}
