// The rows of a start, by account and collection. Most are not asked for soon, so here they are
// only sorted; a list makes its records of them, a chunk at a time, when somebody asks for it.

import { COLLECTION_NAMES, type CollectionName } from '../domain/collection-name.js';
import type { RecordKey } from '../domain/identifier.js';
import { type MemoryRecord, memoryRecord } from './memory-record.js';
import type { DeferredRows } from './record-storage.js';

/** A page has at most so many rows: a row's number is its page's and its place in one integer. */
const PAGE_BITS = 16;
const PAGE_MASK = 2 ** PAGE_BITS - 1;
const COLLECTIONS = COLLECTION_NAMES.length;

interface Page {
  readonly rows: DeferredRows;
  /** Of each row its account's number. */
  readonly accounts: Uint32Array;
}

export class StoredRecords {
  readonly #pages: Page[] = [];
  /** The numbers of all rows: by account, then by collection, then by position. */
  #rows = new Uint32Array();
  /** Where in `#rows` each list begins: an account's rows of one collection. */
  #starts = new Uint32Array(1);
  readonly #disordered = new Set<number>();

  /** Pages come in order of position. `accounts`: of each row its account's number, from 0. */
  add(rows: DeferredRows, accounts: Uint32Array): void {
    if (rows.length > PAGE_MASK + 1) {
      throw new RangeError(
        `a page of the storage has ${rows.length} rows; it may have ${PAGE_MASK + 1}`,
      );
    }
    this.#pages.push({ rows, accounts });
  }

  /** To be called once all pages are there. `accounts`: how many there are. */
  sort(accounts: number): void {
    const starts = new Uint32Array(accounts * COLLECTIONS + 1);
    for (const page of this.#pages) {
      // By index: an iterator takes three times as long.
      for (let i = 0; i < page.accounts.length; i++) {
        const after = listOf(page, i) + 1;
        starts[after] = (starts[after] ?? 0) + 1;
      }
    }
    for (let list = 1; list < starts.length; list++) {
      starts[list] = (starts[list] ?? 0) + (starts[list - 1] ?? 0);
    }
    this.#starts = starts;
    this.#rows = new Uint32Array(starts.at(-1) ?? 0);
    this.#fill(starts.slice());
  }

  /** `next`: of each list the place of its next row. */
  #fill(next: Uint32Array): void {
    for (const [number, page] of this.#pages.entries()) {
      const first = number * 2 ** PAGE_BITS;
      for (let i = 0; i < page.accounts.length; i++) {
        const list = listOf(page, i);
        const at = next[list] ?? 0;
        this.#rows[at] = first + i;
        next[list] = at + 1;
        const last = at === this.#starts[list] ? 0 : this.key(at - 1);
        if (!isBefore(last, page.rows.keyOf(i))) this.#disordered.add(list);
      }
    }
  }

  /** The lists in which the keys are not numbers that ascend with the positions, as those of this service are. */
  *disordered(): Generator<[account: number, collection: CollectionName]> {
    for (const list of this.#disordered) {
      const collection = COLLECTION_NAMES[list % COLLECTIONS];
      if (collection !== undefined) yield [Math.floor(list / COLLECTIONS), collection];
    }
  }

  list(account: number, collection: CollectionName): StoredList {
    const list = account * COLLECTIONS + COLLECTION_NAMES.indexOf(collection);
    const [start, end] = [this.#starts[list] ?? 0, this.#starts[list + 1] ?? 0];
    return new StoredList(this, start, end - start, !this.#disordered.has(list));
  }

  /** By a row's place among the sorted ones. */
  key(at: number): RecordKey {
    const row = this.#rows[at] ?? 0;
    return this.#page(row).keyOf(row & PAGE_MASK);
  }

  position(at: number): number {
    const row = this.#rows[at] ?? 0;
    return this.#page(row).positionOf(row & PAGE_MASK);
  }

  record(at: number): MemoryRecord {
    const row = this.#rows[at] ?? 0;
    const [page, place] = [this.#page(row), row & PAGE_MASK];
    return memoryRecord(page.positionOf(place), page.keyOf(place), page.recordOf(place));
  }

  #page(row: number): DeferredRows {
    const page = this.#pages[row >>> PAGE_BITS];
    if (page === undefined) throw new Error('the row is of no page');
    return page.rows;
  }
}

function listOf({ rows, accounts }: Page, place: number): number {
  return (accounts[place] ?? 0) * COLLECTIONS + (rows.collections[place] ?? 0);
}

function isBefore(key: RecordKey, next: RecordKey): boolean {
  return typeof key === 'number' && typeof next === 'number' && key < next;
}

/** Rows of one account and collection, by position. */
export class StoredList {
  readonly #stored: StoredRecords;
  readonly #start: number;
  readonly length: number;
  /** Whether the keys are numbers that ascend. */
  readonly isOrdered: boolean;

  constructor(stored: StoredRecords, start: number, length: number, isOrdered: boolean) {
    this.#stored = stored;
    this.#start = start;
    this.length = length;
    this.isOrdered = isOrdered;
  }

  part(first: number, maxLength: number): StoredList {
    const length = Math.min(maxLength, this.length - first);
    return new StoredList(this.#stored, this.#start + first, length, this.isOrdered);
  }

  key(index: number): RecordKey {
    return this.#stored.key(this.#start + index);
  }

  position(index: number): number {
    return this.#stored.position(this.#start + index);
  }

  records(): MemoryRecord[] {
    return Array.from({ length: this.length }, (_, i) => this.#stored.record(this.#start + i));
  }
}
