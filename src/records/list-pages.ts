// Pages of a collection's list: newest first, "filtering happens before pagination".

import { type ListQuery, offsetOf, type Page } from '../domain/listing.js';
import { Needle } from '../domain/search.js';
import type { Turns } from '../turns.js';
import type { MemoryRecord } from './memory-record.js';
import { BORDER, type Searchable } from './search-blocks.js';

/** How many records are looked at between two looks at the clock. */
const RECORDS_A_LOOK = 1_024;

/** An account's list, which stays as it is while it is looked through. */
export interface ScannedList {
  readonly owner: string;
  /** Oldest first. */
  readonly records: readonly MemoryRecord[];
  readonly turns: Turns;
}

/** Without a filter a page is a piece of the list: its cost does not depend on the list's length. */
export function newestPage(records: readonly MemoryRecord[], query: ListQuery): Page {
  const end = Math.max(records.length - offsetOf(query), 0);
  const start = Math.max(end - query.pageSize, 0);
  const items: string[] = [];
  for (let i = end - 1; i >= start; i--) {
    const record = records[i];
    if (record !== undefined) items.push(record.text);
  }
  return { items, total: records.length };
}

/** The records of a status. */
export async function statusPage(
  { owner, records, turns }: ScannedList,
  query: ListQuery,
): Promise<Page> {
  const filtered = new FilteredPage(query);
  for (let i = records.length - 1; i >= 0; i--) {
    if (i % RECORDS_A_LOOK === 0 && turns.isOver) await turns.next(owner);
    const record = records[i];
    if (record !== undefined) filtered.take(record);
  }
  return filtered.page;
}

/** The records that contain `q`, and are of the status if the query names one. `parts` are the list's, newest first. */
export async function searchedPage(
  { owner, turns }: ScannedList,
  parts: Iterable<Searchable>,
  query: ListQuery,
): Promise<Page> {
  const filtered = new FilteredPage(query);
  // Blocks separate two records by it, and no record's JSON text contains it.
  if (query.q.includes(BORDER)) return filtered.page;
  const needle = new Needle(query.q);
  for (const part of parts) {
    for (const record of part.matches(needle)) {
      if (record !== undefined) filtered.take(record);
      else if (turns.isOver) await turns.next(owner);
    }
    if (turns.isOver) await turns.next(owner);
  }
  return filtered.page;
}

/** Filters by status first, then pages: the total counts every match, the page keeps only its own. */
class FilteredPage {
  readonly #items: string[] = [];
  #total = 0;
  readonly #status: string;
  readonly #first: number;
  readonly #size: number;

  constructor(query: ListQuery) {
    this.#status = query.status;
    this.#first = offsetOf(query);
    this.#size = query.pageSize;
  }

  /** Records come newest first. One without `status` passes any filter; one that has it must equal it. */
  take({ status, text }: MemoryRecord): void {
    if (this.#status !== '' && status !== undefined && status !== this.#status) return;
    if (this.#total >= this.#first && this.#items.length < this.#size) this.#items.push(text);
    this.#total++;
  }

  get page(): Page {
    return { items: this.#items, total: this.#total };
  }
}
