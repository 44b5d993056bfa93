// Lists: one page, or all of them.

import type { CallOptions, Send } from './connection.js';

export interface PageQuery {
  /** From 1. */
  readonly page?: number;
  readonly page_size?: number;
}

/** What a walk over all pages takes: it chooses the pages itself. */
export type AllQuery<Query extends PageQuery> = Omit<Query, 'page'>;

/** `meta.pagination` of a list. */
export interface Pagination {
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
  readonly total_pages: number;
}

export interface Page<Row> {
  readonly items: Row[];
  readonly pagination: Pagination;
}

export async function page<Row>(
  send: Send,
  path: string,
  query: object | undefined,
  options: CallOptions | undefined,
): Promise<Page<Row>> {
  const { data, meta } = await send({ method: 'GET', path, query: { ...query }, ...options });
  return { items: data as Row[], pagination: meta.pagination as Pagination };
}

/**
 * Every row, page by page, each row once.
 *
 * Pages are counted from the newest, so they shift while others write. Rows
 * added meanwhile push known ones onto the next page: those are left out there,
 * by their key. Rows deleted meanwhile pull unseen ones onto a page already
 * read: when the total shrinks, the walk goes back by as many pages as that
 * can have been. What it cannot see is as many rows added as deleted between
 * two pages. Rows added after the start may be missing, rows deleted may be there.
 */
export async function* allRows<Row>(
  read: (page: number) => Promise<Page<Row>>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row, void, undefined> {
  const seen = new Set<string>();
  let number = 1;
  let total = 0;
  for (;;) {
    const { items, pagination } = await read(number);
    const shrunk = total - pagination.total;
    total = pagination.total;
    if (shrunk > 0 && number > 1) {
      number -= Math.min(number - 1, Math.ceil(shrunk / pagination.page_size));
      continue;
    }
    for (const row of items) {
      const key = keyOf(row);
      if (seen.has(key)) continue;
      seen.add(key);
      yield row;
    }
    if (number >= pagination.total_pages) return;
    number++;
  }
}
