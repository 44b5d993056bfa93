// The directory's part of a dump and a load: the list of accounts and the audit log, in pieces. It
// takes the log of another storage itself, so that events of one moment keep their order and events
// without an account have a place.

import { PIECE_MAX_ROWS, piecesOf } from '../../storage/dump/dumped-rows.js';
import type {
  EventCursor,
  KnownAccounts,
  LeavingEvents,
  NamedEvent,
} from '../../storage/dump/worker-messages.js';
import type { ObjectStorage, SqlRow } from '../../storage/object/object-storage.js';
import * as schema from './directory-schema.js';

type Sql = ObjectStorage['sql'];

/** Accounts whose subject comes after a text, in order; also those without records. */
export function knownAccounts(sql: Sql, after: string): KnownAccounts {
  const rows = [...sql.exec<{ owner: string }>(schema.LIST_KNOWN, after, PIECE_MAX_ROWS + 1)];
  const [piece = []] = piecesOf(rows, ({ owner }) => owner.length);
  return { owners: piece.map(({ owner }) => owner), isLast: piece.length === rows.length };
}

/** Part of a transaction: adds the events that the log does not have. Returns the number of these events in it. */
export function takeEvents(sql: Sql, events: readonly NamedEvent[]): number {
  let known = 0;
  for (const { owner, epoch, number, event } of events) {
    sql.exec(schema.APPEND_EVENT, event, owner, epoch, number);
    known += [...sql.exec(schema.FIND_NAMED, owner, epoch, number)].length;
  }
  return known;
}

/** The log from its beginning, by the time of the changes. */
export function eventsAfter(sql: Sql, { timestamp, id }: EventCursor): LeavingEvents {
  const page = [timestamp, id, PIECE_MAX_ROWS + 1] as const;
  const measured = [...sql.exec<MeasuredEvent>(schema.MEASURE_EVENTS, ...page)];
  const [piece = []] = piecesOf(measured, ({ size }) => size);
  const events = [...sql.exec<StoredEvent>(schema.EVENTS_AFTER, timestamp, id, piece.length)];
  const last = piece.at(-1);
  return {
    events,
    last: last === undefined ? { timestamp, id } : { timestamp: last.timestamp, id: last.id },
    isLast: piece.length === measured.length,
  };
}

interface MeasuredEvent extends SqlRow {
  readonly id: number;
  readonly timestamp: string;
  readonly size: number;
}

interface StoredEvent extends SqlRow {
  readonly event: string;
  readonly name: string | null;
}
