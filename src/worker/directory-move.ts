// What a move asks of the directory: which accounts there are, and the audit log, in
// pieces. The log of another storage is taken here and not by each account's object,
// so that events of one moment keep their order, and those of no account have a place.

import type {
  EventPlace,
  KnownAccounts,
  LeavingEvents,
  MovedEvent,
} from '../storage/move/move-messages.js';
import { PIECE_MAX_CHARACTERS, PIECE_MAX_ROWS } from '../storage/move/moved-rows.js';
import type { ObjectStorage, SqlRow } from '../storage/object/object-storage.js';
import * as schema from './directory-schema.js';

export class DirectoryMove {
  readonly #sql: ObjectStorage['sql'];

  constructor(sql: ObjectStorage['sql']) {
    this.#sql = sql;
  }

  knownAccounts(after: string): KnownAccounts {
    const rows = this.#sql.exec<KnownRow>(schema.LIST_KNOWN, after, PIECE_MAX_ROWS + 1);
    const { piece, isLast } = firstPiece(rows, ({ owner }) => owner.length);
    const accounts = piece.map(({ owner, record_count: records, revision }) => {
      return { owner, records, revision };
    });
    return { accounts, isLast };
  }

  /** Part of a transaction. Returns how many of these the log has then. */
  takeEvents(events: readonly MovedEvent[]): number {
    let known = 0;
    for (const { owner, epoch, number, event } of events) {
      this.#sql.exec(schema.APPEND_EVENT, event, owner, epoch, number);
      known += [...this.#sql.exec(schema.FIND_NAMED, owner, epoch, number)].length;
    }
    return known;
  }

  eventsAfter({ timestamp, id }: EventPlace): LeavingEvents {
    const rows = this.#sql.exec<EventRow>(schema.EVENTS_AFTER, timestamp, id, PIECE_MAX_ROWS + 1);
    const { piece, isLast } = firstPiece(rows, ({ event }) => event.length);
    const last = piece.at(-1);
    return {
      events: piece.map(({ event }) => event),
      names: piece.map(({ name }) => name),
      last: last === undefined ? { timestamp, id } : { timestamp: last.timestamp, id: last.id },
      isLast,
    };
  }
}

/** As many rows as fit into a piece, at least one. */
function firstPiece<Row>(rows: Iterable<Row>, charactersOf: (row: Row) => number) {
  const piece: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    characters += charactersOf(row);
    const isFull = piece.length >= PIECE_MAX_ROWS || characters > PIECE_MAX_CHARACTERS;
    if (isFull && piece.length > 0) return { piece, isLast: false };
    piece.push(row);
  }
  return { piece, isLast: true };
}

interface KnownRow extends SqlRow {
  readonly owner: string;
  readonly record_count: number;
  readonly revision: number;
}

interface EventRow extends SqlRow {
  readonly id: number;
  readonly timestamp: string;
  readonly event: string;
  readonly name: string | null;
}
