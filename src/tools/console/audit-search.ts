// Searches the audit log. The API has no filters for it, so a search reads a bounded number of events
// and reports how far back it got. The events of one import or erasure are one row.

import type { AuditEvent, OperatorClient } from '../../operator-client.js';
import { dayOf } from './formats.js';

const PAGE_SIZE = 200;
/** 5,000 events, so that a search is fast. */
const PAGES_MAX = 25;
/** A search ends with the page on which it has this many rows. */
const ROWS_ENOUGH = 50;

/**
 * What each filter compares with. `day`: such as `2026-12-31`, in the contract's time zone. `run`: the
 * id of an import or erasure, each of whose events is then a row.
 */
const VALUE_OF = {
  collection: ({ resource }: AuditEvent) => resource,
  action: ({ action }: AuditEvent) => action,
  account: ({ owner_sub }: AuditEvent) => owner_sub,
  day: ({ timestamp }: AuditEvent) => dayOf(timestamp),
  record: ({ record_id }: AuditEvent) => record_id,
  run: ({ run }: AuditEvent) => run,
};

export type AuditFilter = { readonly [Name in keyof typeof VALUE_OF]?: string };
export const FILTERS = Object.keys(VALUE_OF) as (keyof AuditFilter)[];

/** One event, or those of one import or erasure, newest first. */
export type AuditRow = readonly [AuditEvent, ...AuditEvent[]];

export interface FoundEvents {
  readonly rows: readonly AuditRow[];
  /** How many events were read. */
  readonly eventsRead: number;
  /** How many events there are. */
  readonly total: number;
  /** Where to resume: the next page of the log, and the oldest event read. */
  readonly rest: { readonly page: number; readonly oldest: AuditEvent } | undefined;
}

/** Newest first. `page`: where in the log the search starts. */
export async function searchAudit(
  client: Pick<OperatorClient, 'audit'>,
  filter: AuditFilter,
  { page: first = 1, pagesMax = PAGES_MAX } = {},
): Promise<FoundEvents> {
  const given = FILTERS.filter((name) => filter[name] !== undefined);
  const rows: [AuditEvent, ...AuditEvent[]][] = [];
  let eventsRead = 0;
  let oldest: AuditEvent | undefined;
  for (let page = first; ; page++) {
    const { items, pagination } = await client.audit.list({ page, page_size: PAGE_SIZE });
    for (const event of items) {
      // New events shift others to later pages, so an event may be read twice.
      if (oldest !== undefined && event.id >= oldest.id) continue;
      oldest = event;
      eventsRead++;
      if (!given.every((name) => VALUE_OF[name](event) === filter[name])) continue;
      const { run } = event;
      const isAlone = run === undefined || filter.run !== undefined;
      const row = isAlone ? undefined : rows.find(([newest]) => newest.run === run);
      if (row === undefined) rows.push([event]);
      else row.push(event);
    }
    const found = { rows, eventsRead, total: pagination.total };
    const isBeforeDay = (event: AuditEvent) => dayOf(event.timestamp) < (filter.day ?? '');
    if (oldest === undefined || page >= pagination.total_pages || isBeforeDay(oldest)) {
      return { ...found, rest: undefined };
    }
    if (rows.length >= ROWS_ENOUGH || page - first + 1 === pagesMax) {
      return { ...found, rest: { page: page + 1, oldest } };
    }
  }
}
