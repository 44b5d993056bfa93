// The messages of a dump and a load: between the command and the admin Worker as JSON, and behind
// it to the objects. A command and a Worker of neighbouring releases may meet, so a change only
// adds properties.

import type { Sequences } from '../../core/records/record-storage.js';
import type { AccountContents, DumpedRow } from './dumped-rows.js';

/** Rows of an account that is loaded. Rows that are there already are left out. */
export interface LoadPiece {
  /** Names the dump; the same with every piece. */
  readonly load: string;
  /** How many of the account's rows come before these. */
  readonly from: number;
  readonly rows: readonly DumpedRow[];
  /** With the last piece: what the account must be now. */
  readonly whole?: AccountContents & { readonly sequences: Sequences };
}

/** What an object holds. `loading`: `records` rows have arrived; continue from there. */
export interface LoadState extends AccountContents {
  readonly state: 'loading' | 'whole';
}

/** Rows of an account that is dumped. */
export interface LeavingPiece {
  readonly rows: readonly DumpedRow[];
  /** Position of the last row: the next piece is after it. */
  readonly last: number;
  readonly isLast: boolean;
  /** Differs from that of the piece before if the account was written to in between. */
  readonly revision: number;
  /** The highest numbers that ids were ever given, as of this piece. */
  readonly sequences: Sequences;
}

/** `status`: that of HTTP. */
export type Reply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly status: number; readonly message: string };

export interface KnownAccounts {
  readonly owners: readonly string[];
  readonly isLast: boolean;
}

/** An audit event, with the name by which it is taken once: owner, epoch and number. */
export interface NamedEvent {
  /** Empty for an event that belongs to no account. */
  readonly owner: string;
  readonly epoch: string;
  readonly number: number;
  /** JSON text. */
  readonly event: string;
}

/** A position in the audit log; an empty timestamp is before the first event. */
export interface EventCursor {
  readonly timestamp: string;
  readonly id: number;
}

export interface LeavingEvents {
  /** `name`: owner, epoch and number, as JSON; null for an event of an early release. */
  readonly events: readonly { readonly event: string; readonly name: string | null }[];
  readonly last: EventCursor;
  readonly isLast: boolean;
}
