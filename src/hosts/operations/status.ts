// The state of a service at one moment, as `/status` answers it. The host fills it in; `/ready`, the
// metrics and the console are made from it.

import type { RecordCounts } from '../../core/domain/api-schema.js';
import type { Meter } from './meter.js';
import type { Minute, RequestMetrics } from './request-metrics.js';
import type { Reason, Warning } from './troubles.js';

type Figure<Name extends string, OrNull = never> = Readonly<Record<Name, number | OrNull>>;

/** Times are RFC 3339 in UTC, sizes bytes. Null: not known, not yet, or not on this host. */
export interface ServiceStatus {
  /** These three are all that `/ready` answers. */
  readonly ready: boolean;
  readonly reasons: readonly Reason[];
  readonly warnings: readonly Warning[];
  readonly version: string;
  readonly runtime: string;
  readonly started_at: string;
  /**
   * `in_flight`: whose answer is not yet written to its end. `heavy_work`: pieces of long work that are
   * under way or wait for their turn.
   */
  readonly requests: RequestMetrics['totals'] &
    Figure<'in_flight' | 'connections' | 'heavy_work', null>;
  /** Oldest first; the last one is under way. */
  readonly last_hour: readonly Minute[];
  /** `waiting`: for a commit. */
  readonly writes: Meter['writes'] & Figure<'waiting', null>;
  readonly records: RecordCounts | null;
  readonly accounts: number | null;
  /** `log_bytes`: of the write-ahead log. */
  readonly database: Figure<'bytes' | 'log_bytes' | 'disk_free_bytes' | 'disk_bytes', null>;
  readonly identity: Meter['identity'];
  readonly admin_keys: Meter['adminKeys'];
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
    readonly last_failure: Meter['failedBackup'];
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
  /** `active_seconds`, `idle_seconds`: of the event loop, since the start. */
  readonly process: Figure<
    'cpu_seconds' | 'resident_bytes' | 'heap_bytes' | 'active_seconds' | 'idle_seconds'
  > &
    Figure<'open_descriptors' | 'max_descriptors', null>;
}

/** What the status is judged on. */
export type Figures = Omit<ServiceStatus, 'ready' | 'reasons' | 'warnings'>;

export function timeOf(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
