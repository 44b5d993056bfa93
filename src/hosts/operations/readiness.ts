// Whether the service can do its work, and if not, why: for load balancers, deploy scripts and people.

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
/** A backup may take a while, and a failed one is tried again: it is overdue after two missed intervals. */
const OVERDUE_INTERVALS = 2;
const DISK_FULL = /SQLITE_FULL|ENOSPC|disk is full|No space left/i;

/** The part of storage that readiness probes. */
export interface ProbedStorage {
  /** Looks whether the file is still in its place, and reports to the meter. */
  look?(): Promise<void>;
  /** A real round trip; rejects if storage does not answer. */
  ping(): Promise<void>;
  /** A commit that changes nothing; rejects if it is not on disk. */
  touch(): Promise<void>;
}

/** Resolves with true, or rejects. While commits fail, it tries one and reports success to the meter. */
export async function answers(storage: ProbedStorage, meter: Meter): Promise<boolean> {
  await storage.look?.();
  if (meter.isStorageLost) return true;
  await storage.ping();
  // Otherwise a service that gets no writes would never notice that its disk works again.
  try {
    if (meter.writes.failing_since !== null) await storage.touch();
    meter.writesFail(null);
  } catch {}
  return true;
}

type State = 'isStarted' | 'isStopping' | 'isStorageLost' | 'isStorageReachable' | 'hasProvider';

/** `state`: of the same moment as the figures. */
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
  // Postgres has its own backups, which this process can't see.
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
 * The answer of `ask`, or `otherwise` if it fails or takes longer than 2 s. One question at a time: on a
 * disk that hangs they would pile up.
 */
export function withTimeout<T>(ask: () => Promise<T>, otherwise: T): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => {
    asking ??= ask()
      .catch(() => otherwise)
      .finally(() => {
        asking = undefined;
      });
    const late = new Promise<T>((resolve) => {
      setTimeout(resolve, PROBE_TIMEOUT_MS, otherwise).unref();
    });
    return Promise.race([asking, late]);
  };
}

/** The names that hold, in the order in which they are written. */
function namesWhere<Name extends string>(all: Readonly<Record<Name, boolean>>): Name[] {
  return (Object.keys(all) as Name[]).filter((name) => all[name]);
}
