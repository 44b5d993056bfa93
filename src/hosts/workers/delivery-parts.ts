// The parts of a delivery to the directory that may be long: as many events and search texts as
// fit into one call. Sizes are read first, so that memory holds only what fits.

import { caseFolded } from '../../core/domain/search.js';
import type { ObjectStorage, SqlRow } from '../../storage/object/object-storage.js';
import type { NumberedEvent } from './account-call.js';

/** A call may take 32 MiB; these keep a delivery far below it. */
const EVENTS_MAX = 500;
const EVENTS_MAX_BYTES = 4_000_000;
/** Search texts of one account. */
const SEARCH_TEXTS_MAX_BYTES = 8_000_000;

const EVENT_SIZES = `
  select id as place, octet_length(event) as bytes from audit_events where id > ?1
   order by id limit ?2`;
const EVENTS = `
  select id as number, event, epoch from audit_events where id > ?1 and id <= ?2 order by id`;
const PROFILE_SIZES = `
  select position as place, octet_length(body) as bytes from records
   where collection = 'businesses' order by position`;
const PROFILES = `
  select body from records where collection = 'businesses' and position <= ?1 order by position`;

interface EventRow extends SqlRow {
  readonly number: number;
  readonly event: string;
  readonly epoch: string;
}

interface SizeRow extends SqlRow {
  readonly place: number;
  readonly bytes: number;
}

type Sql = ObjectStorage['sql'];

/** The events with the next higher numbers, at least one if there is one. */
export function eventsAfter(sql: Sql, after: number): NumberedEvent[] {
  const last = lastThatFits(sql.exec<SizeRow>(EVENT_SIZES, after, EVENTS_MAX), EVENTS_MAX_BYTES);
  return [...sql.exec<EventRow>(EVENTS, after, last)];
}

/** The texts of the account's profiles, for the operator's search. */
export function searchTexts(sql: Sql): string[] {
  const last = lastThatFits(sql.exec<SizeRow>(PROFILE_SIZES), SEARCH_TEXTS_MAX_BYTES);
  return Array.from(sql.exec<{ body: string }>(PROFILES, last), ({ body }) => caseFolded(body));
}

/** The last of the rows that fit together, at least the first one. Reads all sizes, because an open cursor locks its table until it is garbage-collected. */
function lastThatFits(sizes: Iterable<SizeRow>, maxBytes: number): number {
  let last = 0;
  let total = 0;
  for (const { place, bytes } of sizes) {
    total += bytes;
    if (total <= maxBytes || last === 0) last = place;
  }
  return last;
}
