// The state of a service at one moment, as `/status` answers it. The host fills it in; `/ready`, the
// metrics and the console are made from it.

import type { RecordCounts } from '../../core/domain/api-schema.js';
import type { CommitStatus, IdentityOutcome } from '../../core/service-events.js';
import type { Minute } from './request-metrics.js';
import type { Reason, Warning } from './troubles.js';

/** Times are RFC 3339 in UTC, sizes bytes. Null: not known, not yet, or not on this host. */
export interface ServiceStatus {
  /** These three are all that `/ready` answers. */
  readonly ready: boolean;
  readonly reasons: readonly Reason[];
  readonly warnings: readonly Warning[];
  readonly version: string;
  readonly runtime: string;
  readonly started_at: string;
  readonly requests: {
    readonly total: number;
    /** Answered 500 or above. */
    readonly failed: number;
    readonly aborted: number;
    /** Whose answer is not yet written to its end. */
    readonly in_flight: number | null;
    readonly connections: number | null;
    /** Pieces of long work that are under way or wait for their turn. */
    readonly heavy_work: number | null;
  };
  /** Oldest first; the last one is under way. */
  readonly last_hour: readonly Minute[];
  readonly writes: {
    /** For a commit. */
    readonly waiting: number | null;
    readonly commits: Readonly<Record<CommitStatus, number>>;
    /** Since when every commit has failed. */
    readonly failing_since: string | null;
    readonly failing_reason: string | null;
    readonly audit_failures: number;
  };
  readonly records: RecordCounts | null;
  readonly accounts: number | null;
  readonly database: {
    readonly bytes: number | null;
    /** The write-ahead log. */
    readonly log_bytes: number | null;
    readonly disk_free_bytes: number | null;
    readonly disk_bytes: number | null;
  };
  readonly identity: {
    readonly unavailable_since: string | null;
    readonly checks: Readonly<Record<IdentityOutcome, number>>;
    readonly joined: number;
    readonly remembered: number;
  };
  readonly admin_keys: { readonly refused: number; readonly last_refused_at: string | null };
  /** Null if `BACKUP_DIR` is unset. */
  readonly backups: {
    readonly folder: string;
    /** 0: only on request. */
    readonly interval_hours: number;
    readonly keep: number;
    readonly last_success_at: string | null;
    readonly last_success_bytes: number | null;
    /** A backup failed, and none has succeeded since. */
    readonly last_failed: boolean;
    readonly last_failure: { readonly at: string; readonly reason: string } | null;
    readonly under_way: boolean;
    /** Newest first; null if the folder cannot be read. */
    readonly list:
      | readonly { readonly name: string; readonly taken_at: string; readonly bytes: number }[]
      | null;
  } | null;
  readonly replication: {
    /** The last sync succeeded. */
    readonly reached: boolean;
    /** Why it is not reached. */
    readonly reason: string | null;
    /** Age of the oldest commit that the replica is not known to have; 0 if there is none. */
    readonly behind_seconds: number;
    readonly failures: number;
  } | null;
  /** Of this process's connections. Null if the database is a file. */
  readonly postgres: {
    /** Statements that wait for a connection. */
    readonly waiting: number;
    /** Attempts at a statement after the first. */
    readonly retries: number;
    /** By kind: how many were sent, and how long their answers took. Many requests may share one. */
    readonly statements: Readonly<Record<string, { count: number; seconds: number }>>;
  } | null;
  readonly process: {
    readonly cpu_seconds: number;
    readonly resident_bytes: number;
    readonly heap_bytes: number;
    /** The event loop, since the start. */
    readonly active_seconds: number;
    readonly idle_seconds: number;
    readonly open_descriptors: number | null;
    readonly max_descriptors: number | null;
  };
}

/** What the status is judged on. */
export type Figures = Omit<ServiceStatus, 'ready' | 'reasons' | 'warnings'>;

export function timeOf(milliseconds: number): string;
export function timeOf(milliseconds: number | undefined): string | null;
export function timeOf(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
