// Reads an account's records page by page, newest first, each record once, while others
// write. Memory holds one page, however large the account is.

import type { Page } from '../../operator-client.js';
import { CommandError } from '../failures.js';
import { isTooLong, type Service } from '../service.js';

/** Each divides the one before it, so that a smaller page can begin where a larger one would. */
const PAGE_SIZES = [200, 100, 50, 10, 5, 1] as const;
/** This many rows are remembered, so that a row that is pushed onto the next page is not taken twice. */
const REMEMBERED_ROWS = 10_000;

export type ReadPage<Row> = (query: { page: number; page_size: number }) => Promise<Page<Row>>;

/**
 * Pages are counted from the newest row, so they shift while others write. New rows push
 * known rows onto later pages: known rows are remembered and skipped. Deleted rows pull
 * unread rows onto earlier pages: the walk steps back by the number of deleted rows.
 */
export async function* pagesOf<Row>(
  service: Service,
  read: ReadPage<Row>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row[], void> {
  const known = new Set<string>();
  let offset = 0;
  let total = 0;
  let size = 0;
  for (;;) {
    const pageSize = PAGE_SIZES[size] ?? 1;
    let page: Page<Row>;
    try {
      page = await service.patiently(() =>
        read({ page: offset / pageSize + 1, page_size: pageSize }),
      );
    } catch (error) {
      if (!isTooLong(error) || size === PAGE_SIZES.length - 1) throw error;
      size++;
      continue;
    }
    const { items, pagination } = page;
    const gone = Math.max(0, total - pagination.total);
    total = pagination.total;
    if (gone > 0 && offset > 0) {
      if (gone >= REMEMBERED_ROWS) {
        throw new CommandError(
          `${gone} records were deleted during the export; export again when that has ended`,
        );
      }
      offset = Math.max(0, Math.floor((offset - gone) / pageSize) * pageSize);
      continue;
    }
    const fresh = items.filter((row) => !known.has(keyOf(row)));
    remember(known, fresh.map(keyOf));
    if (fresh.length > 0) yield fresh;
    offset += pageSize;
    if (offset >= total) return;
    const larger = PAGE_SIZES[size - 1];
    if (larger !== undefined && offset % larger === 0) size--;
  }
}

/** A set keeps its order: the oldest go first. */
function remember(known: Set<string>, keys: readonly string[]): void {
  for (const key of keys) known.add(key);
  for (const key of known) {
    if (known.size <= REMEMBERED_ROWS) return;
    known.delete(key);
  }
}
