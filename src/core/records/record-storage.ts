// The ports to durable storage: the storage that the records live in, and the
// figures that the operator's views ask of storage.

import type { AuditEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Page, PageRequest } from '../domain/listing.js';
import type { Status } from '../domain/record.js';
import type { CommitStatus } from '../service-events.js';

/** A stored row. The body is the record's JSON text, and says what the record is. */
export interface StoredRow {
  /** Order of creation in this storage, from 1; the row's key. */
  readonly position: number;
  readonly collection: CollectionName;
  readonly id: string;
  readonly body: string;
}

/** A row to write, with two facts from its body: a storage may keep them in columns, so that a start parses no body. */
export interface PutRow extends StoredRow {
  /** Undefined for a row that no account owns. */
  readonly owner: string | undefined;
  readonly status: Status;
}

/** The highest number that an id was ever given, for some collections. */
export type Sequences = Readonly<Partial<Record<CollectionName, number>>>;

/** Changes that become durable together or not at all. */
export interface Changes {
  /**
   * Rows to write, new or in place of the row at the same position. If two rows of a collection would
   * have one id, nothing is stored.
   */
  readonly puts: readonly PutRow[];
  /** Positions of rows to remove. */
  readonly removals: readonly number[];
  /** Those of the collections that get or lose a record. */
  readonly sequences: Sequences;
  readonly events: readonly AuditEvent[];
  /** When: the time of creation of new rows and of the last update of all. Milliseconds since 1970, UTC. */
  readonly at: number;
}

/**
 * The outcome of a commit.
 *
 * - `committed`: on disk. With an `auditError`, the rows are, the events are not.
 * - `notStored`: it failed, and storage holds what it held before.
 * - `unknown`: either may be the case. No more writes; memory stays readable until the process ends.
 */
export type CommitResult =
  | { readonly status: 'committed'; readonly auditError?: unknown }
  | { readonly status: Exclude<CommitStatus, 'committed'>; readonly error: unknown };

/** Durable storage of one set of records. */
export interface RecordStorage {
  /** How many writes one commit holds at most, 256 by default. 1: none fails because of another. */
  readonly writesPerCommit?: number;
  /** Every row in pages, none of them empty, by position. A body is parsed if its row does not say what `PutRow` says. */
  load(): AsyncIterable<readonly (StoredRow | PutRow)[]>;
  /** The highest numbers of the commits so far, those of removed rows included. */
  sequences(): Promise<Sequences>;
  /** Resolves when no more can be learned of the outcome; never rejects. One commit at a time. */
  commit(changes: Changes): Promise<CommitResult>;
  /** Resolves when a commit in progress has ended and the storage is released. Later commits are `unknown`, pings reject. */
  close(): Promise<void>;
}

/** A number for each of three times. */
export type ThreeTimes = readonly [number, number, number];

/** How much storage holds of one collection. */
export interface StoredUsage {
  readonly collection: CollectionName;
  readonly records: number;
  /** UTF-8 bytes of the bodies. */
  readonly payloadBytes: number;
  /** Number of rows created after each of the requested times. */
  readonly createdAfter: ThreeTimes;
  /** Milliseconds since 1970, UTC. */
  readonly lastUpdatedAt: number;
}

/** How much storage holds, at one moment. */
export interface StoredTotals {
  /** Collections that have rows. */
  readonly collections: readonly StoredUsage[];
  readonly auditEventCount: number;
}

/** The operator's questions that only storage can answer. */
export interface StoredViews {
  /**
   * The totals at one moment during the call, whatever is committed in the meantime, with the
   * numbers of rows created after each of these times (milliseconds since 1970, UTC).
   */
  usage(createdAfter: ThreeTimes): Promise<StoredTotals>;
  /** Audit events as JSON texts with their `id`, newest first. */
  auditEvents(page: PageRequest): Promise<Page>;
  /** A real round trip; rejects if storage does not answer. */
  ping(): Promise<void>;
}
