// Pages of a collection's list: newest first, "filtering happens before pagination".

import { type ListQuery, offsetOf, type Page } from '../domain/listing.js';
import { Needle } from '../domain/search.js';
import type { MemoryRecord } from './memory-record.js';
import type { ListSnapshot, RecordList } from './record-list.js';
import { BORDER, type Searchable } from './search-blocks.js';

/** Called between two steps of long work: resolves in the account's next slice, where this one is used. */
export type GiveWay = () => Promise<void> | undefined;

/** Without a filter a page is a piece of the list: its cost does not depend on the list's length. */
export function newestPage(list: RecordList | undefined, query: ListQuery): Page {
  if (list === undefined) return { items: [], total: 0 };
  const page = list.page(offsetOf(query), query.pageSize);
  return { items: page.map(({ text }) => text), total: list.length };
}

/** The records of a status. */
export async function statusPage(
  { chunks }: ListSnapshot,
  giveWay: GiveWay,
  query: ListQuery,
): Promise<Page> {
  const filtered = new FilteredPage(query);
  for (let c = chunks.length - 1; c >= 0; c--) {
    const records = chunks[c]?.records ?? [];
    for (let i = records.length - 1; i >= 0; i--) filtered.take(records[i] as MemoryRecord);
    const turn = giveWay();
    if (turn !== undefined) await turn;
  }
  return filtered.page;
}

/** The records that contain `q`, and are of the status if the query names one. `parts` are the list's, newest first. */
export async function searchedPage(
  parts: Iterable<Searchable>,
  giveWay: GiveWay,
  query: ListQuery,
): Promise<Page> {
  const filtered = new FilteredPage(query);
  // Blocks separate two records by it, and no record's JSON text contains it.
  if (query.q.includes(BORDER)) return filtered.page;
  const needle = new Needle(query.q);
  for (const part of parts) {
    for (const record of part.matches(needle)) {
      if (record !== undefined) {
        filtered.take(record);
        continue;
      }
      const turn = giveWay();
      if (turn !== undefined) await turn;
    }
    const turn = giveWay();
    if (turn !== undefined) await turn;
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
