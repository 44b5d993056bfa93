// A move asks the directory for the list of accounts and for the audit log, in pieces.
// The directory, not each account's object, takes the log of another storage: so events
// of one moment keep their order, and events without an account have a place.

import type {
  EventPlace,
  KnownAccounts,
  LeavingEvents,
  MovedEvent,
} from '../../storage/move/move-messages.js';
import { PIECE_MAX_ROWS, piecesOf } from '../../storage/move/moved-rows.js';
import type { ObjectStorage, SqlRow } from '../../storage/object/object-storage.js';
import * as schema from './directory-schema.js';

export class DirectoryMove {
  readonly #sql: ObjectStorage['sql'];

  constructor(sql: ObjectStorage['sql']) {
    this.#sql = sql;
  }

  knownAccounts(after: string): KnownAccounts {
    const rows = this.#rows<KnownRow>(schema.LIST_KNOWN, after, PIECE_MAX_ROWS + 1);
    const [piece = []] = piecesOf(rows, ({ owner }) => owner.length);
    const accounts = piece.map(({ owner, record_count: records, revision }) => {
      return { owner, records, revision };
    });
    return { accounts, isLast: piece.length === rows.length };
  }

  /** Part of a transaction. Returns the number of these events in the log. */
  takeEvents(events: readonly MovedEvent[]): number {
    let known = 0;
    for (const { owner, epoch, number, event } of events) {
      this.#sql.exec(schema.APPEND_EVENT, event, owner, epoch, number);
      known += this.#rows(schema.FIND_NAMED, owner, epoch, number).length;
    }
    return known;
  }

  eventsAfter({ timestamp, id }: EventPlace): LeavingEvents {
    const after = [timestamp, id] as const;
    const measured = this.#rows<MeasuredEvent>(schema.MEASURE_EVENTS, ...after, PIECE_MAX_ROWS + 1);
    const [piece = []] = piecesOf(measured, ({ size }) => size);
    const last = piece.at(-1);
    const rows = this.#rows<NamedEvent>(schema.EVENTS_AFTER, ...after, piece.length);
    return {
      events: rows.map(({ event }) => event),
      names: rows.map(({ name }) => name),
      last: last === undefined ? { timestamp, id } : { timestamp: last.timestamp, id: last.id },
      isLast: piece.length === measured.length,
    };
  }

  /** Reads the cursor to its end: an open one locks the tables until it is collected. */
  #rows<Row extends SqlRow>(statement: string, ...bindings: (string | number)[]): Row[] {
    return [...this.#sql.exec<Row>(statement, ...bindings)];
  }
}

interface KnownRow extends SqlRow {
  readonly owner: string;
  readonly record_count: number;
  readonly revision: number;
}

interface MeasuredEvent extends SqlRow {
  readonly id: number;
  readonly timestamp: string;
  readonly size: number;
}

interface NamedEvent extends SqlRow {
  readonly event: string;
  readonly name: string | null;
}
