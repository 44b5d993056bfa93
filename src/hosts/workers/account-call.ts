// The methods that the gateway, an account's object and the directory call on each other, and
// what they send: plain values, because they cross to another machine and, during a deployment,
// to another version. So properties may be added to every shape here, but never removed or given
// another meaning, and a reader ignores properties that it doesn't know.

import type { AccountSummary, RecordCounts } from '../../core/domain/api-schema.js';
import type { Actor } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { Outcome } from '../../core/domain/errors.js';
import type { ListQuery } from '../../core/domain/listing.js';
import type { ObjectViews, RowViews } from '../../core/domain/operator-views.js';
import type { OperatorViews, ViewQuery } from '../../core/records/record-service.js';
import type {
  EventCursor,
  KnownAccounts,
  LeavingEvents,
  LeavingPiece,
  LoadPiece,
  LoadState,
  NamedEvent,
  Reply,
} from '../../storage/dump/worker-messages.js';
import type { SentPage } from './sent-page.js';

/** Who calls. `owner` names the account; it never comes from a header. */
export interface Caller {
  readonly owner: string;
  /** The operator, whose changes are audited. Absent: the account itself. */
  readonly actor?: Actor | undefined;
  /** The import or erasure that the change belongs to. */
  readonly run?: string | undefined;
}

/** The operator's page of an account, with its business records. */
export interface SentProfile {
  readonly summary: AccountSummary;
  readonly profiles: SentPage;
}

/**
 * The methods of an account's object. Bodies are JSON texts. The first seven reject only if
 * the object cannot answer; every other outcome is a value, because an error that is thrown
 * on the other machine arrives without its class.
 */
export interface AccountStub {
  list(caller: Caller, collection: CollectionName, query: ListQuery): Promise<Outcome<SentPage>>;
  read(caller: Caller, collection: CollectionName, id: string): Promise<Outcome<string>>;
  create(caller: Caller, collection: CollectionName, body: string): Promise<Outcome<string>>;
  update(
    caller: Caller,
    collection: CollectionName,
    id: string,
    body: string,
  ): Promise<Outcome<string>>;
  delete(caller: Caller, collection: CollectionName, id: string): Promise<Outcome<string>>;
  payments(caller: Caller): Promise<Outcome<SentPage>>;
  profile(caller: Caller): Promise<Outcome<SentProfile>>;
  /** The account's state for the directory. Seeds the sample account if it is new. Undefined if the object is empty. */
  announce(owner: string): Promise<Delivery | undefined>;
  /**
   * Erases the account: its records, its id numbers, its database, its entry in the
   * directory. The audit events stay in the directory. Called only by the admin Worker.
   */
  erase(owner: string): Promise<Erased>;
  /**
   * Sets the account back to a point of its history, and restarts its object. Rejects, with
   * nothing changed, while the directory cannot take the account's changes. Called by the
   * admin Worker alone.
   */
  restore(restore: Restore): Promise<RestoreReply>;
  /** Makes the directory follow a restore. May be repeated. */
  followRestore(restore: Restore): Promise<RestoreState>;
  /** Only the admin Worker calls these two: they load an account and dump it. */
  takePiece(owner: string, piece: LoadPiece): Promise<Reply<LoadState>>;
  leavingPiece(owner: string, after: number): Promise<Reply<LeavingPiece>>;
}

export interface Erased {
  readonly owner_sub: string;
  readonly erased: true;
}

/** A point in an object's history: milliseconds since 1970, UTC, or a bookmark of the platform. */
export type RestorePoint = { readonly time: number } | { readonly bookmark: string };

export interface Restore {
  /** Each restore has a new one. */
  readonly id: string;
  readonly owner: string;
  readonly point: RestorePoint;
  /** When the operator asked for it: milliseconds since 1970, UTC. */
  readonly at: number;
}

/** `refused`: nothing was changed. `isSupported` is false if the runtime keeps no history. */
export type RestoreReply =
  | {
      readonly kind: 'restarting';
      readonly bookmark: string;
      /** Leads back to the state just before the restore. */
      readonly undoBookmark: string;
    }
  | { readonly kind: 'refused'; readonly isSupported: boolean; readonly reason: string };

/**
 * The progress of a restore.
 *
 * - `restarting`: the object still has its old state.
 * - `untold`: the object has the earlier state; the directory has yet to take it.
 * - `followed`: the directory shows the earlier state.
 * - `none`: the object did not go back.
 */
export type RestoreState = 'restarting' | 'untold' | 'followed' | 'none';

/** The operator's views, as they are sent. */
export type SentViews = Pick<OperatorViews, keyof ObjectViews | 'ping'> & {
  readonly [Name in keyof RowViews]: (query: ViewQuery) => Promise<SentPage>;
};

/** The methods of the directory: the operator's views, and these. */
export interface DirectoryStub extends SentViews {
  apply(delivery: Delivery): Promise<Receipt>;
  /** Removes every trace of an account but its audit events. */
  forget(owner: string): Promise<void>;
  /** Only the admin Worker calls these three. This one: the accounts whose subject comes after a text, in order; also those without records. */
  knownAccounts(after: string): Promise<KnownAccounts>;
  /** Adds the events that the audit log does not have yet. Returns the number of these events in the log. */
  takeEvents(events: readonly NamedEvent[]): Promise<number>;
  /** The audit log from its beginning, by the time of the changes. */
  eventsAfter(after: EventCursor): Promise<LeavingEvents>;
}

/** Everything that the directory keeps of one account, at one revision. */
export interface Delivery {
  readonly owner: string;
  /** Commits so far. */
  readonly revision: number;
  /** The account's own records. */
  readonly counts: RecordCounts;
  /** Every stored row, by collection. */
  readonly holdings: StatsByCollection;
  /** Case-folded texts in which `q` finds the account, besides its subject. Absent: unchanged. */
  readonly searchTexts?: readonly string[];
  /** Audit events that the directory may not have yet, oldest first. */
  readonly events: readonly NumberedEvent[];
}

export interface NumberedEvent {
  /** The order of the account's events. A restore resets it, so a number may occur twice. */
  readonly number: number;
  /** Identifies the run of the object that wrote the event. Epoch and number together identify the event. */
  readonly epoch: string;
  /** JSON text. */
  readonly event: string;
}

export type StatsByCollection = Readonly<Record<CollectionName, CollectionStats>>;

/** Size and times of one collection. */
export interface CollectionStats {
  readonly records: number;
  /** UTF-8 bytes of the records. */
  readonly payloadBytes: number;
  /** Milliseconds since 1970, UTC; 0 if there is no record. */
  readonly updatedAt: number;
  /** Recent creations: hour since 1970 → number of records. */
  readonly created: Readonly<Record<string, number>>;
}

/** The directory's revision of an account after a delivery. */
export interface Receipt {
  readonly revision: number;
}
