// Lists: one page, or all pages.

import type { Pagination } from '../../core/domain/api-schema.js';
import type { CallOptions, Send } from './connection.js';
import { abortedBy } from './deadline.js';

export interface PageQuery {
  /** From 1. */
  readonly page?: number | undefined;
  readonly page_size?: number | undefined;
}

export interface Page<Row> {
  readonly items: Row[];
  readonly pagination: Pagination;
}

/** A list of rows. */
export interface RowCalls<Row, Query extends PageQuery> {
  /** One page. */
  list(query?: Query, options?: CallOptions): Promise<Page<Row>>;
  /** Every row. The loop fetches one page after another, and sets `page` itself. */
  all(query?: Omit<Query, 'page'>, options?: CallOptions): AsyncGenerator<Row, void, undefined>;
}

/** `key`: the property that identifies a row. */
export function rowCalls<Row, Query extends PageQuery>(
  send: Send,
  path: string,
  pageSizeMax: number,
  key: string,
): RowCalls<Row, Query> {
  return {
    list: (query, options) => page<Row>(send, path, query, options),
    async *all(query, options) {
      const read = (number: number) =>
        page<Row>(send, path, { page_size: pageSizeMax, ...query, page: number }, options);
      const keyOf = (row: Row) => String((row as Readonly<Record<string, unknown>>)[key]);
      for await (const rows of allPages(read, keyOf)) {
        for (const row of rows) {
          yield row;
          // The next row is in memory already, so no request would notice the signal.
          if (options?.signal?.aborted) throw abortedBy(options.signal, 'reading all pages');
        }
      }
    },
  };
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
 * Yields every row once, page by page. Page 1 has the newest rows, so concurrent writes move rows
 * between pages. An added row pushes rows that were read onto the next page, where they are skipped by
 * their key. A deleted row pulls unread rows onto a page that was read, so when the total shrinks, the
 * iteration goes back. It doesn't detect equally many additions and deletions between two pages. Rows
 * added after the start may be missing, and deleted rows may appear.
 */
export async function* allPages<Row>(
  read: (page: number) => Promise<Page<Row>>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row[], void, undefined> {
  const seen = new Set<string>();
  let number = 1;
  let total = 0;
  for (;;) {
    const { items, pagination } = await read(number);
    const shrunk = total - pagination.total;
    total = pagination.total;
    if (shrunk > 0 && number > 1) {
      number = Math.max(1, number - Math.ceil(shrunk / pagination.page_size));
      continue;
    }
    yield items.filter((row) => {
      const key = keyOf(row);
      return !seen.has(key) && seen.add(key);
    });
    if (number >= pagination.total_pages) return;
    number++;
  }
}
