// The client's walk over all pages as the commands need it: patient, with smaller pages
// where records are large. Memory holds one page, however large the account is.

import { allPages } from '../../clients/client/pages.js';
import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import type { Page } from '../../operator-client.js';
import { CommandError } from './failures.js';
import { isTooLong, type Service, type StoredRecord } from './service.js';

/** Each divides the one before it, so that a smaller page can begin where a larger one would. */
const PAGE_SIZES = [200, 100, 50, 10, 5, 1] as const;
/** This many rows are remembered, so that a row that is pushed onto the next page is not taken twice. */
const REMEMBERED_ROWS = 10_000;

export type ReadPage<Row> = (query: { page: number; page_size: number }) => Promise<Page<Row>>;

/** Pages that are not empty, newest first, each row once while others write. `work`: what the sentence names if that cannot be kept. */
export async function* pagesOf<Row>(
  service: Service,
  read: ReadPage<Row>,
  keyOf: (row: Row) => string,
  work = 'export',
): AsyncGenerator<Row[], void> {
  let level = 0;
  let total = 0;
  const sizeAt = (at: number) => PAGE_SIZES[at] ?? 1;

  async function readAt(number: number) {
    const before = (number - 1) * sizeAt(level);
    if (level > 0 && before % sizeAt(level - 1) === 0) level--;
    for (;;) {
      const size = sizeAt(level);
      const query = { page: before / size + 1, page_size: size };
      try {
        const page = await service.patiently(() => read(query));
        const gone = total - page.pagination.total;
        total = page.pagination.total;
        if (gone < REMEMBERED_ROWS || before === 0) return { ...page, number: query.page };
        throw new CommandError(
          `${gone} records were deleted during the ${work}; ${work} again when that has ended`,
        );
      } catch (error) {
        if (!isTooLong(error) || level === PAGE_SIZES.length - 1) throw error;
        level++;
      }
    }
  }

  const seen = new LatestKeys();
  for await (const { rows } of allPages(readAt, keyOf, { seen })) if (rows.length > 0) yield rows;
}

/** Every account of the service. */
export async function subjectsOf(service: Service): Promise<string[]> {
  const subjects: string[] = [];
  const pages = pagesOf(
    service,
    (query) => service.client.accounts.list(query),
    ({ owner_sub }) => owner_sub,
  );
  for await (const page of pages) for (const { owner_sub } of page) subjects.push(owner_sub);
  return subjects;
}

/** The records of a collection, newest first. `work` as for `pagesOf`. */
export function recordPages(
  service: Service,
  account: string,
  collection: CollectionName,
  work?: string,
): AsyncGenerator<StoredRecord[], void> {
  const records = service.records(account, collection);
  return pagesOf<StoredRecord>(
    service,
    (query) => records.list(query),
    ({ id }) => id,
    work,
  );
}

/** Every record of an account, in each collection the newest first. `work` as for `pagesOf`. */
export async function* recordsOf(
  service: Service,
  account: string,
  work: string,
): AsyncGenerator<readonly [CollectionName, StoredRecord], void> {
  for (const collection of COLLECTION_NAMES) {
    for await (const page of recordPages(service, account, collection, work)) {
      for (const record of page) yield [collection, record];
    }
  }
}

/** A set keeps its order: the oldest go first. */
class LatestKeys extends Set<string> {
  override add(key: string): this {
    super.add(key);
    for (const oldest of this) {
      if (this.size <= REMEMBERED_ROWS) break;
      this.delete(oldest);
    }
    return this;
  }
}
