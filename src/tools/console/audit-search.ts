// A search in the audit log, which the service gives in pages without filters:
// so many events are looked at, and the page says how far back that was.

import { allPages } from '../../clients/client/pages.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { AuditEvent, OperatorClient } from '../../operator-client.js';
import { AuditItems } from './audit-groups.js';

const PAGE_SIZE = 200;

export interface AuditFilter {
  readonly collection?: CollectionName | undefined;
  readonly action?: AuditEvent['action'] | undefined;
  readonly account?: string | undefined;
  readonly record?: string | undefined;
  /** `2026-12-31`, in the time zone of the console. */
  readonly day?: string | undefined;
  /** The ids of the newest and of the oldest event. */
  readonly newest?: number | undefined;
  readonly oldest?: number | undefined;
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
  /** How many events there are in all. */
  readonly total: number;
  /** The time of the oldest one that was looked at; undefined where all were. */
  readonly searchedBackTo: string | undefined;
  /** Where the search goes on; undefined where all were looked at. */
  readonly next: SearchStart | undefined;
}

export interface SearchLimits {
  readonly requestsMax: number;
  /** Of events; where they are grouped, what belongs together counts once. */
  readonly foundMax: number;
  readonly isGrouped?: boolean;
  /** The day of a time in RFC 3339, such as `2026-12-31`. */
  readonly dayOf: (timestamp: string) => string;
}

type Client = Pick<OperatorClient, 'audit'>;
type DayOf = SearchLimits['dayOf'];

/**
 * Newest first. New events push the others onto later pages meanwhile, so a search
 * that goes on skips what it has seen, and misses nothing.
 */
export async function searchAudit(
  client: Client,
  filter: AuditFilter,
  limits: SearchLimits,
  start?: SearchStart,
): Promise<FoundEvents> {
  const { requestsMax, foundMax, isGrouped = false, dayOf } = limits;
  const events: AuditEvent[] = [];
  const items = new AuditItems();
  const isFull = (event: AuditEvent) =>
    isGrouped ? items.count >= foundMax && items.isNew(event) : events.length >= foundMax;
  let [looked, total, requests] = [0, 0, 0];
  let { page, before } = start ?? {
    page: await firstPage(client, filter, dayOf),
    before: Number.POSITIVE_INFINITY,
  };
  let oldest: string | undefined;
  const read = async (number: number) => {
    const answer = await pageOf(client, number);
    total = answer.pagination.total;
    return answer;
  };
  const walk = allPages<AuditEvent>(read, ({ id }) => String(id), { start: page });
  for await (const { rows, number, isLast } of walk) {
    page = number;
    for (const event of rows) {
      if (event.id >= before) continue;
      const isMatch = matches(event, filter, dayOf);
      if (isMatch && isFull(event)) {
        return { events, looked, total, searchedBackTo: oldest, next: { page, before } };
      }
      looked++;
      before = event.id;
      oldest = event.timestamp;
      if (isMatch) {
        events.push(event);
        items.add(event);
      }
      if (isTooOld(event, filter, dayOf)) {
        return { events, looked, total, searchedBackTo: undefined, next: undefined };
      }
    }
    if (isLast) return { events, looked, total, searchedBackTo: undefined, next: undefined };
    page++;
    if (++requests === requestsMax) break;
  }
  return { events, looked, total, searchedBackTo: oldest, next: { page, before } };
}

/** The page on which the newest event that can match stands: looked for by halves, since later pages are older. */
async function firstPage(client: Client, filter: AuditFilter, dayOf: DayOf): Promise<number> {
  if (filter.day === undefined && filter.newest === undefined) return 1;
  let low = 1;
  let high = (await pageOf(client, 1)).pagination.total_pages;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { items } = await pageOf(client, middle);
    if (items.every((event) => isTooNew(event, filter, dayOf))) low = middle + 1;
    else high = middle;
  }
  return low;
}

function pageOf(client: Client, page: number) {
  return client.audit.list({ page, page_size: PAGE_SIZE });
}

function isTooNew({ id, timestamp }: AuditEvent, { newest, day }: AuditFilter, dayOf: DayOf) {
  return (newest !== undefined && id > newest) || (day !== undefined && dayOf(timestamp) > day);
}

function isTooOld({ id, timestamp }: AuditEvent, { oldest, day }: AuditFilter, dayOf: DayOf) {
  return (oldest !== undefined && id < oldest) || (day !== undefined && dayOf(timestamp) < day);
}

function matches(event: AuditEvent, filter: AuditFilter, dayOf: DayOf): boolean {
  const { collection, action, account, record } = filter;
  return (
    (collection === undefined || event.resource === collection) &&
    (action === undefined || event.action === action) &&
    (account === undefined || event.owner_sub === account) &&
    (record === undefined || event.record_id === record) &&
    !isTooNew(event, filter, dayOf) &&
    !isTooOld(event, filter, dayOf)
  );
}
