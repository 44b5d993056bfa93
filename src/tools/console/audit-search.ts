// A search in the audit log, which the service gives in pages without filters:
// so many events are looked at, and the page says how far back that was.

import { allPages } from '../../clients/client/pages.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { AuditEvent, OperatorClient } from '../../operator-client.js';

const PAGE_SIZE = 200;

export interface AuditFilter {
  readonly collection?: CollectionName | undefined;
  readonly action?: AuditEvent['action'] | undefined;
  readonly account?: string | undefined;
  readonly record?: string | undefined;
}

/** Where a search goes on: a page of 200 events, and the id of the last event that was looked at. */
export interface SearchStart {
  readonly page: number;
  readonly before: number;
}

export interface FoundEvents {
  readonly events: readonly AuditEvent[];
  /** How many events were looked at. */
  readonly looked: number;
  /** The time of the oldest one that was looked at; undefined where all were. */
  readonly searchedBackTo: string | undefined;
  /** Where the search goes on; undefined where all were looked at. */
  readonly next: SearchStart | undefined;
}

export interface SearchLimits {
  readonly requestsMax: number;
  readonly foundMax: number;
}

/**
 * Newest first. New events push the others onto later pages meanwhile, so a search
 * that goes on skips what it has seen, and misses nothing.
 */
export async function searchAudit(
  client: Pick<OperatorClient, 'audit'>,
  filter: AuditFilter,
  { requestsMax, foundMax }: SearchLimits,
  start: SearchStart = { page: 1, before: Number.POSITIVE_INFINITY },
): Promise<FoundEvents> {
  const events: AuditEvent[] = [];
  let looked = 0;
  let { page, before } = start;
  let oldest: string | undefined;
  let pages = 0;
  const walk = allPages<AuditEvent>(
    (number) => client.audit.list({ page: number, page_size: PAGE_SIZE }),
    ({ id }) => String(id),
    { start: page },
  );
  for await (const { rows, number, isLast } of walk) {
    page = number;
    for (const event of rows) {
      if (event.id >= before) continue;
      looked++;
      before = event.id;
      oldest = event.timestamp;
      if (matches(event, filter)) events.push(event);
      if (events.length === foundMax) break;
    }
    if (events.length === foundMax) break;
    if (isLast) return { events, looked, searchedBackTo: undefined, next: undefined };
    page++;
    if (++pages === requestsMax) break;
  }
  return { events, looked, searchedBackTo: oldest, next: { page, before } };
}

function matches(event: AuditEvent, { collection, action, account, record }: AuditFilter): boolean {
  return (
    (collection === undefined || event.resource === collection) &&
    (action === undefined || event.action === action) &&
    (account === undefined || event.owner_sub === account) &&
    (record === undefined || event.record_id === record)
  );
}
