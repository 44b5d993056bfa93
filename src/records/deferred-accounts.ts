// The accounts of a start. Most are not asked for soon, so their rows are only counted and sorted
// here; an account's records are made when it is first asked for.

import { byCollection, type CollectionName } from '../domain/collection-name.js';
import type { DeferredRows, JournalRow } from './journal.js';
import { ownText } from './own-text.js';

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
      const start = end - (this.#counts[number] ?? 0);
      yield new DeferredAccount(owner, this.#pages, sorted, [start, end]);
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

  #numberOf(owner: string | undefined): number {
    const known = this.#numbers.get(owner);
    if (known !== undefined) return known;
    const number = this.#counts.length;
    this.#numbers.set(owner === undefined ? undefined : ownText(owner), number);
    return number;
  }
}
