// Whether the service can do its work, and if not, why: for load balancers,
// deploy scripts and people.

import { HOUR_MS } from '../../core/domain/hour.js';
import { type Figures, newestBackup, type ReplicationFigures } from './figures.js';
import type { Meter } from './meter.js';
import type { Reason, Warning } from './troubles.js';

export interface ReadyAnswer {
  readonly ready: boolean;
  readonly reasons: readonly Reason[];
  readonly warnings: readonly Warning[];
}

/** With less than this a group of writes may not fit on the disk. */
export const DISK_FREE_MIN_BYTES = 8_388_608;
/** The database is given this long to answer. */
export const DATABASE_ANSWER_MAX_MS = 2_000;
/** Where writes fail, one is tried this often at most. */
const TRIAL_INTERVAL_MS = 1_000;
/** A replica is normally a second or two behind. */
export const REPLICA_BEHIND_MAX_SECONDS = 15;
/** A backup may take a while, and a failed one is tried again: it is overdue after two missed intervals. */
const OVERDUE_INTERVALS = 2;

/** The part of storage that is asked whether it works. */
export interface AskedStorage {
  /** Looks whether the file is still in its place; what it finds is told to the meter. */
  look?(): Promise<void>;
  /** A real round trip; rejects where storage does not answer. */
  ping(): Promise<void>;
  /** A commit that changes nothing; rejects if it is not on disk. */
  touch(): Promise<void>;
}

export interface ReadinessOptions {
  readonly meter: Meter;
  readonly identityConfigured: boolean;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** Resolves after this many milliseconds. */
  readonly after: (milliseconds: number) => Promise<void>;
}

export class Readiness {
  readonly #options: ReadinessOptions;
  #isStopping = false;
  #ping: Promise<boolean> | undefined;
  #trial: Promise<void> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  stopping(): void {
    this.#isStopping = true;
  }

  /** `storage` is undefined before the start has ended; `figures` are of the same moment. */
  async answer(figures: Figures, storage: AskedStorage | undefined): Promise<ReadyAnswer> {
    const reasons = await this.#reasons(figures.disk.freeBytes, storage);
    const warnings = this.#warnings(figures);
    if (storage !== undefined) {
      const { backups, replication } = figures;
      if (isBehind(replication)) warnings.push('replica_unreachable');
      // Postgres has backups of its own, out of this process's sight.
      if (backups === undefined && replication === undefined && figures.postgres === undefined) {
        warnings.push('backup_not_configured');
      }
    }
    return { ready: reasons.length === 0, reasons, warnings };
  }

  async #reasons(
    freeBytes: number | undefined,
    storage: AskedStorage | undefined,
  ): Promise<Reason[]> {
    const { meter } = this.#options;
    const reasons: Reason[] = [];
    if (storage?.look !== undefined) {
      await Promise.race([storage.look(), this.#options.after(DATABASE_ANSWER_MAX_MS)]);
    }
    if (this.#isStopping) reasons.push('stopping');
    else if (storage === undefined) reasons.push('starting');
    if (meter.isStorageLost) reasons.push('storage_lost');
    if (meter.isDatabaseDamaged) reasons.push('database_damaged');
    const hasNoRoom = freeBytes !== undefined && freeBytes < DISK_FREE_MIN_BYTES;
    const takesWrites = !meter.isStorageLost && !meter.isDatabaseDamaged;
    if (storage !== undefined && !this.#isStopping && takesWrites) {
      if (!(await this.#answers(storage))) reasons.push('database_unavailable');
      // On a full disk a write of a few bytes may succeed although others fail.
      else if (!hasNoRoom) await this.#tryToWrite(storage);
    }
    const failure = meter.writeFailure;
    if (failure !== undefined) reasons.push('writes_failing');
    if (hasNoRoom || isDiskFull(failure?.reason)) reasons.push('disk_full');
    return reasons;
  }

  #warnings(figures: Figures): Warning[] {
    const { meter, identityConfigured, clock } = this.#options;
    const { backups } = figures;
    const warnings: Warning[] = [];
    if (!identityConfigured) warnings.push('identity_provider_not_configured');
    const atStart = figures.providerFinding;
    // Later checks know more about a provider that was away at the start.
    const outcome = meter.lastIdentityOutcome ?? (atStart?.away ? 'unavailable' : undefined);
    if (outcome === 'unavailable') warnings.push('identity_provider_unavailable');
    if (atStart?.ok === false && !atStart.away && !this.#providerProvedFit()) {
      warnings.push('identity_provider_unfit');
    }
    if (meter.lastBackup?.failedSince) warnings.push('backup_failed');
    const { at, fromFuture } = newestBackup(backups, meter.lastBackup, clock());
    if (backups !== undefined && backups.intervalHours > 0) {
      const age = clock() - (at ?? figures.usage.startedAtSeconds * 1000);
      if (age > OVERDUE_INTERVALS * backups.intervalHours * HOUR_MS)
        warnings.push('backup_overdue');
    }
    if (fromFuture.length > 0) warnings.push('backup_from_future');
    if (meter.heldBack > 0) warnings.push('backup_held_back');
    if ((figures.erasures?.back ?? 0) > 0) warnings.push('erased_accounts_back');
    if (figures.erasures?.isUnreadable) warnings.push('erasure_ledger_unreadable');
    return warnings;
  }

  /** What was found at the start may have passed: a fit provider knows some tokens and refuses others. */
  #providerProvedFit(): boolean {
    const { identityChecks } = this.#options.meter;
    return identityChecks.of('identified') > 0 && identityChecks.of('invalid') > 0;
  }

  /** Whether the database answers in time. One question at a time: one that hangs is not asked again. */
  #answers(storage: AskedStorage): Promise<boolean> {
    this.#ping ??= storage
      .ping()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#ping = undefined;
      });
    return Promise.race([
      this.#ping,
      this.#options.after(DATABASE_ANSWER_MAX_MS).then(() => false),
    ]);
  }

  /** Without a client's write the service would never notice that its disk works again. */
  async #tryToWrite(storage: AskedStorage): Promise<void> {
    const { meter, now, after } = this.#options;
    const failure = meter.writeFailure;
    if (failure === undefined) return;
    if (this.#trial === undefined && now() - this.#triedAt >= TRIAL_INTERVAL_MS) {
      this.#triedAt = now();
      this.#trial = storage
        .touch()
        .then(
          () => meter.writesRecovered(failure),
          // It still fails: that is known already.
          () => {},
        )
        .finally(() => {
          this.#trial = undefined;
        });
    }
    if (this.#trial !== undefined) {
      await Promise.race([this.#trial, after(DATABASE_ANSWER_MAX_MS)]);
    }
  }
}

function isBehind(replication: ReplicationFigures | undefined): boolean {
  if (replication === undefined) return false;
  return !replication.isReached || replication.behindSeconds > REPLICA_BEHIND_MAX_SECONDS;
}

function isDiskFull(reason: string | undefined): boolean {
  return reason !== undefined && /SQLITE_FULL|ENOSPC|disk is full|No space left/i.test(reason);
}
