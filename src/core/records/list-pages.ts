// Pages of a collection's list: newest first, "filtering happens before pagination".

import { type ListQuery, offsetOf, type Page } from '../domain/listing.js';
import { type GiveWay, Needle } from '../domain/search.js';
import type { ListSnapshot, RecordList } from './record-list.js';
import { BORDER, type SearchBlocks } from './search-blocks.js';

/** Without a filter a page is a piece of the list: its cost does not depend on the list's length. */
export function newestPage(list: RecordList | undefined, query: ListQuery): Page {
  if (list === undefined) return { items: [], total: 0 };
  const page = list.page(offsetOf(query), query.pageSize);
  return { items: page.map(({ text }) => text), total: list.length };
}

/** The records of the query's status that contain its `q`. `name`: of the list among the blocks. */
export async function filteredPage(
  name: string,
  list: ListSnapshot,
  blocks: SearchBlocks,
  giveWay: GiveWay,
  query: ListQuery,
): Promise<Page> {
  const { q, status: wanted, pageSize } = query;
  const items: string[] = [];
  let total = 0;
  // Blocks separate two records by it, and no record's JSON text contains it.
  if (q.includes(BORDER)) return { items, total };
  const needle = q === '' ? undefined : new Needle(q);
  const first = offsetOf(query);
  if (needle !== undefined) blocks.begin(name, list);
  for (const chunk of list.chunks.toReversed()) {
    const turn = giveWay();
    if (turn !== undefined) await turn;
    const records =
      needle === undefined
        ? chunk.toReversed()
        : await blocks.matches(name, chunk, needle, giveWay);
    for (const { status, text } of records) {
      // A record without `status` passes any filter; one that has it must equal it.
      if (wanted !== '' && status !== undefined && status !== wanted) continue;
      if (total >= first && items.length < pageSize) items.push(text);
      total++;
    }
  }
  return { items, total };
}
