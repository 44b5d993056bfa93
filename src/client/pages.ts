// Lists: one page, or all pages.

import type { CallOptions, Send } from './connection.js';

export interface PageQuery {
  /** From 1. */
  readonly page?: number | undefined;
  readonly page_size?: number | undefined;
}

/** The query of a walk over all pages. The walk sets `page` itself. */
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
  const answer = await send({ method: 'GET', path, query: { ...query }, ...options });
  return { items: answer.data as Row[], pagination: answer.pagination as Pagination };
}

/**
 * Every row, page by page, each row once.
 *
 * Page 1 has the newest rows, so rows move between pages while others write.
 * An added row pushes known rows onto the next page; the walk recognizes them by
 * their key and skips them. A deleted row pulls unseen rows onto a page that was
 * read; when the total shrinks, the walk goes back as many pages as needed. It
 * cannot see that as many rows were added as deleted between two pages. Rows added
 * after the start may be missing, and deleted rows may appear.
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
