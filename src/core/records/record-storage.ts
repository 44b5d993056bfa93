// The ports to durable storage: the storage of the records, and the figures of the operator's views.

import type { AuditEvent } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Page, PageRequest } from '../domain/listing.js';
import type { Status } from '../domain/record.js';
import type { CommitStatus } from '../service-events.js';

/** A stored row. The body is the record's JSON text, and is authoritative. */
export interface StoredRow {
  /** Order of creation in this storage, from 1; the row's key. */
  readonly position: number;
  readonly collection: CollectionName;
  readonly id: string;
  readonly body: string;
}

/** A row to write, with two values from its body, which a storage may put into columns so that a start parses no body. */
export interface PutRow extends StoredRow {
  /** Undefined for a row without an account. */
  readonly owner: string | undefined;
  readonly status: Status;
}

/** The highest number ever used in an id, for some collections. */
export type Sequences = Readonly<Partial<Record<CollectionName, number>>>;

/** Changes that become durable together or not at all. */
export interface Changes {
  /**
   * Rows to insert, or to replace the row at the same position. If two rows of a collection would have
   * one id, nothing is stored.
   */
  readonly puts: readonly PutRow[];
  /** Positions of rows to remove. */
  readonly removals: readonly number[];
  /** The numbers of the collections in which a record is created or deleted. */
  readonly sequences: Sequences;
  readonly events: readonly AuditEvent[];
  /** The creation time of new rows, and the update time of all. Milliseconds since 1970, UTC. */
  readonly at: number;
}

/**
 * The outcome of a commit.
 *
 * - `committed`: on disk. With an `auditError`, only the rows are stored, not the events.
 * - `notStored`: it failed and changed nothing.
 * - `unknown`: either. No more writes are accepted; reads continue until the process ends.
 */
export type CommitResult =
  | { readonly status: 'committed'; readonly auditError?: unknown }
  | { readonly status: Exclude<CommitStatus, 'committed'>; readonly error: unknown };

/** Durable storage of one set of records. */
export interface RecordStorage {
  /** The most writes in one commit. Default: 256. With 1, no write fails because of another. */
  readonly writesPerCommit?: number;
  /** Every row in pages, none of them empty, by position. The body of a row that isn't a `PutRow` is parsed. */
  load(): AsyncIterable<readonly (StoredRow | PutRow)[]>;
  /** The highest numbers of all commits, including those of removed rows. */
  sequences(): Promise<Sequences>;
  /** Never rejects. Called for one commit at a time. */
  commit(changes: Changes): Promise<CommitResult>;
  /** Resolves when a commit in progress has ended and the storage is released. Later commits are `unknown`, pings reject. */
  close(): Promise<void>;
}

/** A number for each of three times. */
export type ThreeTimes = readonly [number, number, number];

/** The usage of one collection. */
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

/** The usage at one moment. */
export interface StoredTotals {
  /** Collections that have rows. */
  readonly collections: readonly StoredUsage[];
  readonly auditEventCount: number;
}

/** The operator's views that only storage can compute. */
export interface StoredViews {
  /**
   * A snapshot of the totals, unaffected by concurrent commits, with the numbers of rows created after
   * each of these times (milliseconds since 1970, UTC).
   */
  usage(createdAfter: ThreeTimes): Promise<StoredTotals>;
  /** Audit events as JSON texts with their `id`, newest first. */
  auditEvents(page: PageRequest): Promise<Page>;
  /** A real round trip; rejects if storage does not respond. */
  ping(): Promise<void>;
}
