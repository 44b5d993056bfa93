// Searches the audit log. The service pages it without filters, so a search reads a bounded number
// of events and says how far back it got. The events of one import or erasure are one row.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { AuditEvent, OperatorClient } from '../../operator-client.js';
import { dayOf } from './formats.js';

const PAGE_SIZE = 200;

export interface AuditFilter {
  readonly collection?: CollectionName | undefined;
  readonly action?: AuditEvent['action'] | undefined;
  readonly account?: string | undefined;
  readonly record?: string | undefined;
  /** `2026-12-31`, in the contract's time zone. */
  readonly day?: string | undefined;
  /** The id of an import or erasure: each of its events is then a row. */
  readonly run?: string | undefined;
}

/** An event, or all those of one import or erasure, newest first. */
export type AuditRow = readonly [AuditEvent, ...AuditEvent[]];

export interface FoundEvents {
  readonly rows: readonly AuditRow[];
  /** How many events were read. */
  readonly looked: number;
  /** How many events there are. */
  readonly total: number;
  /** The oldest event read, from which a search resumes; undefined if all were read. */
  readonly oldest: AuditEvent | undefined;
}

type Client = Pick<OperatorClient, 'audit'>;

/** Newest first. `before`: the id of the oldest event that an earlier search has read. */
export async function searchAudit(
  client: Client,
  filter: AuditFilter,
  { requestsMax, rowsMax }: { requestsMax: number; rowsMax: number },
  before = Number.POSITIVE_INFINITY,
): Promise<FoundEvents> {
  const rows: [AuditEvent, ...AuditEvent[]][] = [];
  const { day = '' } = filter;
  const isTooNew = ({ id, timestamp }: AuditEvent) =>
    id >= before || (day !== '' && dayOf(timestamp) > day);
  const isUnfiltered = before === Number.POSITIVE_INFINITY && day === '';
  const first = isUnfiltered ? 1 : await firstPage(client, isTooNew);
  let [looked, total] = [0, 0];
  let oldest: AuditEvent | undefined;
  for (let page = first; page < first + requestsMax; page++) {
    const { items, pagination } = await pageOf(client, page);
    total = pagination.total;
    for (const event of items) {
      // New events shift the others to later pages, so one may come twice.
      if (isTooNew(event) || event.id >= (oldest?.id ?? before)) continue;
      if (dayOf(event.timestamp) < day) return { rows, looked, total, oldest: undefined };
      if (matches(event, filter)) {
        const row = filter.run === undefined ? rowOf(rows, event) : undefined;
        if (row === undefined && rows.length >= rowsMax) return { rows, looked, total, oldest };
        if (row === undefined) rows.push([event]);
        else row.push(event);
      }
      looked++;
      oldest = event;
    }
    if (page >= pagination.total_pages) return { rows, looked, total, oldest: undefined };
  }
  return { rows, looked, total, oldest };
}

/** The row of the event's import or erasure, if there is one yet. */
function rowOf(rows: readonly AuditEvent[][], { run }: AuditEvent): AuditEvent[] | undefined {
  return run === undefined ? undefined : rows.find(([first]) => first?.run === run);
}

/** The first page with an event that isn't too new, by binary search: later pages are older. */
async function firstPage(client: Client, isTooNew: (event: AuditEvent) => boolean) {
  let low = 1;
  let high = (await pageOf(client, 1)).pagination.total_pages;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { items } = await pageOf(client, middle);
    if (items.every(isTooNew)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function pageOf(client: Client, page: number) {
  return client.audit.list({ page, page_size: PAGE_SIZE });
}

function matches(event: AuditEvent, filter: AuditFilter): boolean {
  const { collection, action, account, record, run } = filter;
  return (
    (collection === undefined || event.resource === collection) &&
    (action === undefined || event.action === action) &&
    (account === undefined || event.owner_sub === account) &&
    (record === undefined || event.record_id === record) &&
    (run === undefined || event.run === run)
  );
}
