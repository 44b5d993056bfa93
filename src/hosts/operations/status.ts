// The state of a service at one time: the response of `/status`, from which `/ready`, the metrics and
// the console are derived. Times are RFC 3339 in UTC, sizes are bytes. Null means unknown, not yet
// known, or not available on this host.

import type { OpenRecords } from '../../core/records/memory-store.js';
import type { Meter } from './meter.js';
import type { ProbedStorage, readinessOf } from './readiness.js';

type Figure<Name extends string, OrNull = never> = Readonly<Record<Name, number | OrNull>>;

/** The parts of a started service that the status reads; undefined if the service has no such part. */
export interface StatusSources {
  readonly storage: ProbedStorage;
  /** Records in this process's memory. */
  readonly inMemory?: Pick<OpenRecords, 'writesWaiting' | 'counts' | 'accountCount'>;
  readonly connections: Figure<'count' | 'requestCount'>;
  /** Units of long work that wait for their turn. */
  readonly scheduler: Figure<'waiting'>;
  /** Newest first; rejects if the folder cannot be used. */
  readonly backups?: { files(): Promise<readonly BackupFile[]> } | undefined;
  readonly replica?: { readonly status: ReplicaStatus } | undefined;
  /** This process's connections. */
  readonly postgres?: () => Figure<'waiting' | 'retries'>;
}

type BackupFile = Readonly<{ name: string; takenAt: number; bytes: number }>;

/** `reached`: the last sync succeeded; otherwise `reason` says why not. `behind_seconds`: age of the oldest commit that the replica may lack. */
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

export type Figures = ReturnType<typeof figuresOf>;
export type ServiceStatus = Figures & ReturnType<typeof readinessOf>;

export function figuresOf(
  meter: Meter,
  sources: StatusSources | undefined,
  measured: HostMeasurements,
  backups: ReturnType<typeof backupStatus> | null,
) {
  const { inMemory, connections, replica } = sources ?? {};
  return {
    ...measured,
    started_at: new Date(performance.timeOrigin).toISOString(),
    requests: {
      ...meter.requests.totals,
      in_flight: connections?.requestCount ?? null,
      connections: connections?.count ?? null,
      heavy_work: sources?.scheduler.waiting ?? null,
    },
    last_hour: meter.requests.lastHour,
    writes: { waiting: inMemory?.writesWaiting ?? null, ...meter.writes },
    records: inMemory?.counts() ?? null,
    accounts: inMemory?.accountCount ?? null,
    identity: meter.identity,
    admin_keys: meter.adminKeys,
    backups,
    replication: replica ? { ...replica.status, failures: meter.replicaFailures } : null,
    postgres: sources?.postgres?.() ?? null,
  };
}

/** `files`: newest first; undefined if the folder can't be read. */
export function backupStatus(
  plan: { readonly folder: string; readonly intervalHours: number; readonly keep: number },
  { failedBackup }: Meter,
  files: readonly BackupFile[] | undefined,
) {
  // A time in the future comes from a wrong clock, and says nothing about the age of the newest backup.
  const newest = files?.find(({ takenAt }) => takenAt <= Date.now());
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
    list: files?.map(({ takenAt, ...file }) => ({ ...file, taken_at: timeOf(takenAt) })) ?? null,
  };
}
