// Lists all pages, with retries. Memory holds one page and the keys of all rows.

import { allPages } from '../../clients/client/pages.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { Page } from '../../operator-client.js';
import { PAGE_SIZE, recordsOf, type ServiceClient, type StoredRecord } from './service-client.js';

/** Newest first; each row once, despite concurrent writes. */
export function paginate<Row>(
  service: ServiceClient,
  list: (query: { page: number; page_size: number }) => Promise<Page<Row>>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row[], void> {
  const readAt = (page: number) => service.withRetry(() => list({ page, page_size: PAGE_SIZE }));
  return allPages(readAt, keyOf);
}

/** Every account of the service. */
export async function subjectsOf(service: ServiceClient): Promise<string[]> {
  const subjects: string[] = [];
  const pages = paginate(service, service.client.accounts.list, ({ owner_sub }) => owner_sub);
  for await (const page of pages) for (const { owner_sub } of page) subjects.push(owner_sub);
  return subjects;
}

/** The records of a collection, newest first. */
export function recordPages(
  service: ServiceClient,
  account: string,
  collection: CollectionName,
): AsyncGenerator<StoredRecord[], void> {
  const { list } = recordsOf(service.client, account, collection);
  return paginate(service, list, ({ id }) => id);
}
