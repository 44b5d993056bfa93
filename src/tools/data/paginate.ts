// Iterates over all pages for the commands: with retries, and with smaller pages where
// records are large. Memory holds one page, and the keys of all rows.

import { allPages } from '../../clients/client/pages.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { Page } from '../../operator-client.js';
import { isTooLong, type Service, type StoredRecord } from './service.js';

/** Each divides the one before it, so that a smaller page can begin where a larger one would. */
const PAGE_SIZES = [200, 100, 50, 10, 5, 1] as const;

export type ReadPage<Row> = (query: { page: number; page_size: number }) => Promise<Page<Row>>;

/** Non-empty pages, newest first; each row once, despite concurrent writes. */
export async function* paginate<Row>(
  service: Service,
  read: ReadPage<Row>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row[], void> {
  let level = 0;
  const sizeAt = (at: number) => PAGE_SIZES[at] ?? 1;

  async function readAt(number: number) {
    const before = (number - 1) * sizeAt(level);
    if (level > 0 && before % sizeAt(level - 1) === 0) level--;
    for (;;) {
      const size = sizeAt(level);
      const query = { page: before / size + 1, page_size: size };
      try {
        return { ...(await service.withRetry(() => read(query))), number: query.page };
      } catch (error) {
        if (!isTooLong(error) || level === PAGE_SIZES.length - 1) throw error;
        level++;
      }
    }
  }

  for await (const rows of allPages(readAt, keyOf)) if (rows.length > 0) yield rows;
}

/** Every account of the service. */
export async function subjectsOf(service: Service): Promise<string[]> {
  const { accounts } = service.client;
  const subjects: string[] = [];
  const pages = paginate(
    service,
    (query) => accounts.list(query),
    ({ owner_sub }) => owner_sub,
  );
  for await (const page of pages) for (const { owner_sub } of page) subjects.push(owner_sub);
  return subjects;
}

/** The records of a collection, newest first. */
export function recordPages(
  service: Service,
  account: string,
  collection: CollectionName,
): AsyncGenerator<StoredRecord[], void> {
  const records = service.records(account, collection);
  return paginate(
    service,
    (query) => records.list(query),
    ({ id }) => id,
  );
}
