// The state of a service at one moment, as `/status` answers it; `/ready`, the metrics and the
// console are made from it. Times are RFC 3339 in UTC, sizes bytes. Null: not known, not yet, or not
// on this host.

import type { OpenRecords } from '../../core/records/memory-store.js';
import type { Meter } from './meter.js';
import type { ProbedStorage, readinessOf } from './readiness.js';

type Figure<Name extends string, OrNull = never> = Readonly<Record<Name, number | OrNull>>;

/** The parts of a started service; undefined if this service has no such part. */
export interface StatusSources {
  readonly storage: ProbedStorage;
  /** Records in the memory of this process. */
  readonly inMemory?: Pick<OpenRecords, 'writesWaiting' | 'counts' | 'accountCount'>;
  readonly connections: Figure<'count' | 'requestCount'>;
  /** Pieces of long work that wait for their turn. */
  readonly scheduler: Figure<'waiting'>;
  /** Newest first; rejects if the folder cannot be used. */
  readonly backups?: { files(): Promise<readonly BackupFile[]> } | undefined;
  readonly replica?: { readonly facts: ReplicaStatus } | undefined;
  /** This process's connections. */
  readonly postgres?: () => Figure<'waiting' | 'retries'>;
}

type BackupFile = Readonly<{ name: string; takenAt: number; bytes: number }>;

/** `reached`: the last sync succeeded; otherwise `reason` says why not. `behind_seconds`: age of the oldest commit that the replica is not known to have. */
export type ReplicaStatus = Figure<'behind_seconds'> &
  Readonly<{ reached: boolean; reason: string | null }>;

/** The host's measurements. */
export interface HostMeasurements {
  readonly version: string;
  readonly runtime: string;
  /** `log_bytes`: of the write-ahead log. */
  readonly database: Figure<'bytes' | 'log_bytes' | 'disk_free_bytes' | 'disk_bytes', null>;
  /** `active_seconds`, `idle_seconds`: of the event loop, since the start. */
  readonly process: Figure<
    'cpu_seconds' | 'resident_bytes' | 'heap_bytes' | 'active_seconds' | 'idle_seconds'
  > &
    Figure<'open_descriptors' | 'max_descriptors', null>;
}

/** The input of readiness. */
export type Figures = ReturnType<typeof figuresOf>;
export type ServiceStatus = Figures & ReturnType<typeof readinessOf>;

export function figuresOf(
  meter: Meter,
  parts: StatusSources | undefined,
  measured: HostMeasurements,
  backups: ReturnType<typeof backupStatus> | null,
) {
  const { inMemory, connections, replica } = parts ?? {};
  return {
    ...measured,
    started_at: new Date(performance.timeOrigin).toISOString(),
    requests: {
      ...meter.requests.totals,
      in_flight: connections?.requestCount ?? null,
      connections: connections?.count ?? null,
      heavy_work: parts?.scheduler.waiting ?? null,
    },
    last_hour: meter.requests.lastHour,
    writes: { waiting: inMemory?.writesWaiting ?? null, ...meter.writes },
    records: inMemory?.counts() ?? null,
    accounts: inMemory?.accountCount ?? null,
    identity: meter.identity,
    admin_keys: meter.adminKeys,
    backups,
    replication: replica ? { ...replica.facts, failures: meter.replicaFailures } : null,
    postgres: parts?.postgres?.() ?? null,
  };
}

/** `kept`: undefined if the folder cannot be read. */
export function backupStatus(
  plan: { readonly folder: string; readonly intervalHours: number; readonly keep: number },
  { failedBackup }: Meter,
  kept: readonly BackupFile[] | undefined,
) {
  // A time in the future is a wrong clock's, and says nothing of how old the newest backup is.
  const newest = kept?.find(({ takenAt }) => takenAt <= Date.now());
  const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();
  return {
    folder: plan.folder,
    /** 0: only on request. */
    interval_hours: plan.intervalHours,
    keep: plan.keep,
    last_success_at: newest ? timeOf(newest.takenAt) : null,
    last_success_bytes: newest?.bytes ?? null,
    /** A backup failed, and none has succeeded since. */
    last_failure: failedBackup,
    list: kept?.map(({ takenAt, ...file }) => ({ ...file, taken_at: timeOf(takenAt) })) ?? null,
  };
}
