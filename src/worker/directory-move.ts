// What a move asks of the directory: which accounts there are, and the audit log, in
// pieces. The log of another storage is taken here and not by each account's object,
// so that events of one moment keep their order, and those of no account have a place.

import type {
  EventPlace,
  KnownAccounts,
  LeavingEvents,
  MovedEvent,
} from '../storage/move/move-messages.js';
import { PIECE_MAX_ROWS, piecesOf } from '../storage/move/moved-rows.js';
import type { ObjectStorage, SqlRow } from '../storage/object/object-storage.js';
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

  /** Part of a transaction. Returns how many of these the log has then. */
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

  /** Read to the end: a cursor that is left open locks the tables until it is collected. */
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
