// The facts of /metrics as JSON for programs that show them to a person, with
// the list of backups.

import { type Figures, newestBackup } from './figures.js';
import type { Measured } from './metrics.js';

export type Status = ReturnType<typeof statusOf>;

/** Times are RFC 3339 in UTC, sizes bytes; null if a figure cannot be had. */
export function statusOf({ meter, figures, ready, now }: Measured) {
  const { service, disk, usage } = figures;
  const requests = meter.requests.totals;
  const failure = meter.writeFailure;
  return {
    ...ready,
    version: figures.build.version,
    runtime: figures.build.runtime,
    started_at: timeOf(usage.startedAtSeconds * 1000),
    requests: {
      total: requests.total,
      failed: requests.failed,
      aborted: requests.aborted,
      in_flight: service?.requestsInFlight ?? null,
      connections: service?.connections ?? null,
    },
    /** By the minute, the oldest first; the last one is under way. */
    last_hour: meter.lastHour.minutes(now).map(({ from, to, requests, failed, p95Seconds }) => ({
      from: timeOf(from),
      to: timeOf(to),
      requests,
      failed,
      /** Null without requests. */
      p95_seconds: p95Seconds ?? null,
    })),
    writes: {
      waiting: service?.writesWaiting ?? null,
      commits: Object.fromEntries(meter.commits),
      failing_since: timeOf(failure?.since),
      failing_reason: failure?.reason ?? null,
      audit_failures: meter.auditFailures,
    },
    records: service?.records ?? null,
    accounts: service?.accounts ?? null,
    database: {
      bytes: disk.databaseBytes ?? null,
      log_bytes: disk.logBytes ?? null,
      disk_free_bytes: disk.freeBytes ?? null,
      disk_bytes: disk.totalBytes ?? null,
    },
    identity: {
      at_start: figures.providerFinding ?? null,
      unavailable_since: timeOf(meter.identityUnavailableSince),
      checks: Object.fromEntries(meter.identityChecks),
      joined: meter.cachedChecks.of('joined'),
      remembered: meter.cachedChecks.of('remembered'),
    },
    admin_keys: {
      refused: meter.keyRefusals.total,
      /** Newest first; those of one minute are one entry. */
      newest: meter.keyRefusals.newest.map(({ from, to, count }) => ({
        from: timeOf(from),
        to: timeOf(to),
        count,
      })),
    },
    backups: backupsOf(figures, meter.lastBackup, now),
    replication: replicationOf(figures, meter.replicaFailures),
    /** Null if the database is a file. */
    postgres: figures.postgres
      ? { waiting: figures.postgres.waiting, retries: figures.postgres.retries }
      : null,
    process: {
      cpu_seconds: usage.cpuSeconds,
      resident_bytes: usage.residentBytes,
      heap_bytes: usage.heapBytes,
      open_descriptors: usage.openDescriptors ?? null,
      max_descriptors: usage.maxDescriptors ?? null,
    },
  };
}

function backupsOf({ backups }: Figures, last: Measured['meter']['lastBackup'], now: number) {
  if (backups === undefined) return null;
  return {
    folder: backups.folder,
    interval_hours: backups.intervalHours,
    keep: backups.keep,
    last_success_at: timeOf(newestBackup(backups, last, now).at),
    last_failed: last?.failedSince ?? false,
    last_failure:
      last?.failure === undefined
        ? null
        : { at: timeOf(last.failure.at), reason: last.failure.reason },
    under_way: backups.isUnderWay,
    /** Null if the folder cannot be read. */
    list:
      backups.kept?.map(({ name, takenAt, bytes, records, opens }) => ({
        name,
        taken_at: timeOf(takenAt),
        bytes,
        records: records ?? null,
        /** Null until it was looked at. */
        opens: opens ?? null,
      })) ?? null,
  };
}

function replicationOf({ replication }: Figures, failures: number) {
  if (replication === undefined) return null;
  return {
    reached: replication.isReached,
    reason: replication.reason ?? null,
    behind_seconds: replication.behindSeconds,
    failures,
  };
}

function timeOf(milliseconds: number): string;
function timeOf(milliseconds: number | undefined): string | null;
function timeOf(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
