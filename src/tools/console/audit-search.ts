// Searches the audit log. The service pages it without filters, so a search reads a bounded number
// of events and says how far back it got. The events of one import or erasure are one row.

import { allPages } from '../../clients/client/pages.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { AuditEvent, OperatorClient } from '../../operator-client.js';
import { dayOf } from './formats.js';

const PAGE_SIZE = 200;

export interface AuditFilter {
  readonly collection?: CollectionName | undefined;
  readonly action?: AuditEvent['action'] | undefined;
  readonly account?: string | undefined;
  readonly record?: string | undefined;
  /** `2026-12-31`, in the console's time zone. */
  readonly day?: string | undefined;
  /** The id of an import or erasure: each of its events is then a row. */
  readonly run?: string | undefined;
}

/** An event, or all those of one import or erasure, newest first. */
export type AuditRow = readonly [AuditEvent, ...AuditEvent[]];

/** Where a search resumes: a page of 200 events, and the id of the last event read. */
export interface SearchStart {
  readonly page: number;
  readonly before: number;
}

export interface FoundEvents {
  readonly rows: readonly AuditRow[];
  /** How many events were read. */
  readonly looked: number;
  /** How many events there are. */
  readonly total: number;
  /** The time of the oldest event read; undefined if all were read. */
  readonly searchedBackTo: string | undefined;
  /** Undefined if all were read. */
  readonly next: SearchStart | undefined;
}

type Client = Pick<OperatorClient, 'audit'>;

/** Newest first. New events shift the others to later pages, so a resumed search skips what it has seen. */
export async function searchAudit(
  client: Client,
  filter: AuditFilter,
  { requestsMax, rowsMax }: { requestsMax: number; rowsMax: number },
  start?: SearchStart,
): Promise<FoundEvents> {
  const rows: [AuditEvent, ...AuditEvent[]][] = [];
  let [looked, total, requests] = [0, 0, 0];
  let oldest: string | undefined;
  let { page, before } = start ?? {
    page: await firstPage(client, filter),
    before: Number.POSITIVE_INFINITY,
  };
  const found = (isEnd: boolean): FoundEvents => {
    const rest = isEnd ? undefined : { searchedBackTo: oldest, next: { page, before } };
    return { rows, looked, total, searchedBackTo: undefined, next: undefined, ...rest };
  };
  const read = async (number: number) => {
    const answer = await pageOf(client, number);
    total = answer.pagination.total;
    return answer;
  };
  const walk = allPages<AuditEvent>(read, ({ id }) => String(id), { start: page });
  for await (const { rows: events, number, isLast } of walk) {
    page = number;
    for (const event of events) {
      if (event.id >= before) continue;
      if (matches(event, filter)) {
        const row = filter.run === undefined ? rowOf(rows, event) : undefined;
        if (row === undefined && rows.length >= rowsMax) return found(false);
        if (row === undefined) rows.push([event]);
        else row.push(event);
      }
      looked++;
      before = event.id;
      oldest = event.timestamp;
      if (filter.day !== undefined && dayOf(event.timestamp) < filter.day) return found(true);
    }
    if (isLast) return found(true);
    page++;
    if (++requests === requestsMax) return found(false);
  }
  return found(true);
}

/** The row of the event's import or erasure, if there is one yet. */
function rowOf(rows: readonly AuditEvent[][], { run }: AuditEvent): AuditEvent[] | undefined {
  return run === undefined ? undefined : rows.find(([first]) => first?.run === run);
}

/** The page with a day's newest event, by binary search: later pages are older. */
async function firstPage(client: Client, { day }: AuditFilter): Promise<number> {
  if (day === undefined) return 1;
  let low = 1;
  let high = (await pageOf(client, 1)).pagination.total_pages;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { items } = await pageOf(client, middle);
    if (items.every(({ timestamp }) => dayOf(timestamp) > day)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function pageOf(client: Client, page: number) {
  return client.audit.list({ page, page_size: PAGE_SIZE });
}

function matches(event: AuditEvent, filter: AuditFilter): boolean {
  const { collection, action, account, record, day, run } = filter;
  return (
    (collection === undefined || event.resource === collection) &&
    (action === undefined || event.action === action) &&
    (account === undefined || event.owner_sub === account) &&
    (record === undefined || event.record_id === record) &&
    (run === undefined || event.run === run) &&
    (day === undefined || dayOf(event.timestamp) === day)
  );
}
