// The messages of a move: between the move and the admin Worker as JSON, and
// behind it to the objects. A move and a Worker of neighbouring releases may meet, so
// a change only adds properties; each property keeps its meaning.

import type { Sequences } from '../../core/records/record-storage.js';
import type { AnnouncedAccount, MovedRow } from './moved-rows.js';

/** Rows of an account that is moved in. Whatever is there already is left out. */
export interface ArrivingPiece {
  /** The same with every piece. */
  readonly announced: AnnouncedAccount;
  /** How many of the account's rows stand before these. */
  readonly from: number;
  readonly rows: readonly MovedRow[];
}

/** Rows of an account that is moved out. */
export interface LeavingPiece extends RowsPiece {
  /** Another one in another piece: the account was written to meanwhile. */
  readonly revision: number;
  /** The highest numbers that ids were ever given, as of this piece. */
  readonly sequences: Sequences;
}

/** What an object holds of an account. While it is `arriving`, only `records` counts: go on from there. */
export interface MovedState extends AnnouncedAccount {
  readonly state: 'none' | 'arriving' | 'whole';
  readonly revision: number;
  /** How many rows of the piece were new. */
  readonly taken: number;
}

/** `status`: that of HTTP. */
export type MoveReply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly status: number; readonly message: string };

/** A piece of the stored rows. */
export interface RowsPiece {
  readonly rows: readonly MovedRow[];
  /** Position of the last row. */
  readonly last: number;
  /** Whether no row is behind it. */
  readonly isLast: boolean;
}

export interface KnownAccounts {
  readonly accounts: readonly {
    readonly owner: string;
    readonly records: number;
    readonly revision: number;
  }[];
  readonly isLast: boolean;
}

/** An audit event of another storage, with the name by which it is taken once: owner, epoch and number. */
export interface MovedEvent {
  /** Empty for an event that belongs to no account. */
  readonly owner: string;
  readonly epoch: string;
  readonly number: number;
  /** JSON text. */
  readonly event: string;
}

/** A place in the audit log; an empty timestamp is before the first event. */
export interface EventPlace {
  readonly timestamp: string;
  readonly id: number;
}

export interface LeavingEvents {
  /** JSON texts. */
  readonly events: readonly string[];
  /** Of these events, in this order: owner, epoch and number, as JSON; null for an event of an early release. */
  readonly names: readonly (string | null)[];
  /** The place of the last one. */
  readonly last: EventPlace;
  readonly isLast: boolean;
}
