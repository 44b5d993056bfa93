// Whether the service can do its work, and if not, why: for load balancers, deploy scripts and people.

import { HOUR_MS } from '../../core/domain/hour.js';
import type { Meter } from './meter.js';
import type { Figures } from './status.js';
import type { Reason, Warning } from './troubles.js';

/** With less than this a group of writes may not fit on the disk. */
const DISK_FREE_MIN_BYTES = 8_388_608;
/** The database is given this long to answer. */
const DATABASE_ANSWER_MAX_MS = 2_000;
/** Time between two trial commits while writes fail. */
const TRIAL_INTERVAL_MS = 1_000;
/** A replica is normally a second or two behind. */
const REPLICA_BEHIND_MAX_SECONDS = 15;
/** A backup may take a while, and a failed one is tried again: it is overdue after two missed intervals. */
const OVERDUE_INTERVALS = 2;

/** The part of storage that is asked whether it works. */
export interface AskedStorage {
  /** Looks whether the file is still in its place, and reports to the meter. */
  look?(): Promise<void>;
  /** A real round trip; rejects if storage does not answer. */
  ping(): Promise<void>;
  /** A commit that changes nothing; rejects if it is not on disk. */
  touch(): Promise<void>;
}

export class Readiness {
  readonly #meter: Meter;
  readonly #isIdentityConfigured: boolean;
  #isStopping = false;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(meter: Meter, isIdentityConfigured: boolean) {
    this.#meter = meter;
    this.#isIdentityConfigured = isIdentityConfigured;
  }

  stopping(): void {
    this.#isStopping = true;
  }

  /** `storage` is undefined until the service has started; `figures` are of the same moment. */
  async answer(figures: Figures, storage: AskedStorage | undefined) {
    const reasons = await this.#reasons(figures, storage);
    return { ready: reasons.length === 0, reasons, warnings: this.#warnings(figures, !!storage) };
  }

  async #reasons({ database }: Figures, storage?: AskedStorage): Promise<Reason[]> {
    const meter = this.#meter;
    if (storage?.look !== undefined) await succeeds(storage.look());
    const hasNoRoom = (database.disk_free_bytes ?? Infinity) < DISK_FREE_MIN_BYTES;
    let answers = true;
    if (storage !== undefined && !this.#isStopping && !meter.isStorageLost) {
      answers = await succeeds(storage.ping());
      // On a full disk a write of a few bytes may succeed although others fail.
      if (answers && !hasNoRoom) await this.#tryToWrite(storage);
    }
    const { failing_since, failing_reason } = meter.writes;
    return namesWhere<Reason>({
      stopping: this.#isStopping,
      starting: storage === undefined && !this.#isStopping,
      storage_lost: meter.isStorageLost,
      database_unavailable: !answers,
      writes_failing: failing_since !== null,
      disk_full: hasNoRoom || DISK_FULL.test(failing_reason ?? ''),
    });
  }

  #warnings(figures: Figures, isStarted: boolean): Warning[] {
    const { backups, replication, identity } = figures;
    const age = Date.now() - Date.parse(backups?.last_success_at ?? figures.started_at);
    const ageMax = OVERDUE_INTERVALS * (backups?.interval_hours || Infinity) * HOUR_MS;
    // Postgres has its own backups, which this process can't see.
    const hasCopies = backups !== null || replication !== null || figures.postgres !== null;
    return namesWhere<Warning>({
      identity_provider_not_configured: !this.#isIdentityConfigured,
      identity_provider_unavailable: identity.unavailable_since !== null,
      backup_failed: backups?.last_failed === true,
      backup_overdue: age > ageMax,
      replica_unreachable:
        isStarted &&
        replication !== null &&
        (!replication.reached || replication.behind_seconds > REPLICA_BEHIND_MAX_SECONDS),
      backup_not_configured: isStarted && !hasCopies,
    });
  }

  /** Without a client's write the service would never notice that its disk works again. */
  async #tryToWrite(storage: AskedStorage): Promise<void> {
    const meter = this.#meter;
    const now = performance.now();
    if (meter.writes.failing_since === null || now - this.#triedAt < TRIAL_INTERVAL_MS) return;
    this.#triedAt = now;
    const failures = () => meter.writes.commits.notStored + meter.writes.commits.unknown;
    const before = failures();
    // A commit that failed after the trial began counts.
    if ((await succeeds(storage.touch())) && failures() === before) meter.writesFail(null);
  }
}

/** False if it fails or takes too long. */
function succeeds(work: Promise<void>): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => {
    setTimeout(resolve, DATABASE_ANSWER_MAX_MS, false).unref();
  });
  const done = work.then(
    () => true,
    () => false,
  );
  return Promise.race([done, late]);
}

const DISK_FULL = /SQLITE_FULL|ENOSPC|disk is full|No space left/i;

/** The names that hold, in the order in which they are written. */
function namesWhere<Name extends string>(all: Readonly<Record<Name, boolean>>): Name[] {
  return (Object.keys(all) as Name[]).filter((name) => all[name]);
}
