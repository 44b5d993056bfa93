// Whether the service can do its work, and if not, why. For load balancers, deploy scripts and people.

import { HOUR_MS } from '../../core/domain/hour.js';
import type { Reason, Warning } from './health-issues.js';
import type { Meter } from './meter.js';
import type { Figures } from './status.js';

/** Below this, a group of writes may not fit on the disk. */
const DISK_FREE_MIN_BYTES = 8_388_608;
/** Time-out for the database, the disk and the backup folder. */
const PROBE_TIMEOUT_MS = 2_000;
/** A replica is normally a second or two behind. */
const REPLICA_BEHIND_MAX_SECONDS = 15;
/** More than one, because a backup may take a while, and a failed one is retried. */
const OVERDUE_INTERVALS = 2;
const DISK_FULL = /SQLITE_FULL|ENOSPC|disk is full|No space left/i;

/** The part of storage that readiness probes. */
export interface ProbedStorage {
  /** Checks whether the file is still at its path, and reports to the meter. */
  checkFile?(): Promise<void>;
  /** A real round trip; rejects if storage does not respond. */
  ping(): Promise<void>;
  /** A commit that changes nothing; rejects if it fails. */
  touch(): Promise<void>;
}

/** Resolves with true, or rejects. While commits fail, tries one, and reports success to the meter. */
export async function probeStorage(storage: ProbedStorage, meter: Meter): Promise<boolean> {
  await storage.checkFile?.();
  if (meter.isStorageLost) return true;
  await storage.ping();
  // Otherwise a service that gets no writes would never notice that its disk works again.
  try {
    if (meter.writes.failing_since !== null) await storage.touch();
    meter.setWritesFailing(null);
  } catch {}
  return true;
}

type State = 'isStarted' | 'isStopping' | 'isStorageLost' | 'isStorageReachable' | 'hasProvider';

/** `state`: read at the same time as the figures. */
export function readinessOf(figures: Figures, state: Readonly<Record<State, boolean>>) {
  const { database, writes, backups, replication, identity } = figures;
  const { isStarted, isStopping } = state;
  const reasons = namesWhere<Reason>({
    stopping: isStopping,
    starting: !isStarted && !isStopping,
    storage_lost: state.isStorageLost,
    database_unavailable: isStarted && !isStopping && !state.isStorageReachable,
    writes_failing: writes.failing_since !== null,
    disk_full:
      (database.disk_free_bytes ?? Infinity) < DISK_FREE_MIN_BYTES ||
      DISK_FULL.test(writes.failing_reason ?? ''),
  });
  const backupAge = Date.now() - Date.parse(backups?.last_success_at ?? figures.started_at);
  const backupAgeMax = OVERDUE_INTERVALS * (backups?.interval_hours || Infinity) * HOUR_MS;
  // Postgres has its own backups, which this process doesn't know.
  const hasCopies = backups !== null || replication !== null || figures.postgres !== null;
  const warnings = namesWhere<Warning>({
    identity_provider_not_configured: !state.hasProvider,
    identity_provider_unavailable: identity.unavailable_since !== null,
    backup_failed: (backups?.last_failure ?? null) !== null,
    backup_overdue: backupAge > backupAgeMax,
    replica_unreachable:
      replication !== null &&
      (!replication.reached || replication.behind_seconds > REPLICA_BEHIND_MAX_SECONDS),
    backup_not_configured: isStarted && !hasCopies,
  });
  return { ready: reasons.length === 0, reasons, warnings };
}

/**
 * Calls `probe`, and resolves with `fallback` if it fails or takes longer than 2 s. Concurrent calls share
 * one probe, because probes would pile up on a disk that hangs.
 */
export function withTimeout<T>(probe: () => Promise<T>, fallback: T): () => Promise<T> {
  let inFlight: Promise<T> | undefined;
  return () => {
    inFlight ??= probe()
      .catch(() => fallback)
      .finally(() => {
        inFlight = undefined;
      });
    const timeout = new Promise<T>((resolve) => {
      setTimeout(resolve, PROBE_TIMEOUT_MS, fallback).unref();
    });
    return Promise.race([inFlight, timeout]);
  };
}

/** The names that are true, in the order of the object. */
function namesWhere<Name extends string>(all: Readonly<Record<Name, boolean>>): Name[] {
  return (Object.keys(all) as Name[]).filter((name) => all[name]);
}
