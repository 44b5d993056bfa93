// Counts what the service reports of itself, from its start on. Reading the figures changes
// nothing: there may be several readers.

import type {
  CommitStatus,
  FinishedRequest,
  IdentityOutcome,
  ServiceEvents,
} from '../../core/service-events.js';
import { Histogram } from './exposition.js';
import { LastHour } from './last-hour.js';
import type { RequestLog } from './request-log.js';
import { DURATION_BOUNDS_SECONDS, RequestSeries } from './request-series.js';
import { type KeyRefusals, timeOf } from './status.js';

/** Up to the largest group that is committed at once. */
const GROUP_BOUNDS_WRITES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];
const MINUTE_MS = 60_000;
const KEY_REFUSALS_MAX = 10;

export interface MeterOptions {
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  readonly requestLog?: RequestLog | undefined;
}

/** Commits that fail: since when, in milliseconds since 1970, and why the last one did. */
export interface WriteFailure {
  readonly since: number;
  readonly reason: string;
}

/** The last backup of this process; without a time if none has succeeded. Times in milliseconds since 1970, UTC. */
export interface LastBackup {
  readonly at?: number;
  readonly milliseconds?: number;
  readonly bytes?: number;
  /** The last failure, if none has succeeded since. */
  readonly failure?: { readonly at: number; readonly reason: string };
}

/** The counts have each name from the start, so that a rate can be taken of the first. */
export class Meter implements ServiceEvents {
  readonly #options: MeterOptions;
  readonly requests = new RequestSeries();
  readonly lastHour: LastHour;
  readonly commitDurations = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly groupSizes = new Histogram(GROUP_BOUNDS_WRITES);
  readonly commits = { committed: 0, notStored: 0, storedUnconfirmed: 0, unknown: 0 };
  readonly replicaSyncs = new Histogram(DURATION_BOUNDS_SECONDS);
  replicaFailures = 0;
  readonly identityChecks = { identified: 0, invalid: 0, unavailable: 0 };
  readonly identityDurations = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly sharedChecks = { joined: 0, remembered: 0 };
  lastIdentityOutcome: IdentityOutcome | undefined;
  /** Since when the provider gives no usable answer; undefined if its last one was usable. */
  identityUnavailableSince: number | undefined;
  readonly backups = { taken: 0, failed: 0 };
  lastBackup: LastBackup = {};
  /** Old backups that hold much more than those after them. */
  heldBack = 0;
  auditFailures = 0;
  keysRefused = 0;
  /** Newest first. Who guesses keys sends many: those of one minute are one entry. */
  keyRefusals: readonly KeyRefusals[] = [];
  isStorageLost = false;
  isDatabaseDamaged = false;
  #writeFailure: WriteFailure | undefined;
  #commitStartedAt = 0;

  constructor(options: MeterOptions) {
    this.#options = options;
    const counts = () => this.requests.totals;
    this.lastHour = new LastHour(DURATION_BOUNDS_SECONDS, counts, options.clock());
  }

  /** The last commit failed and none has succeeded since. */
  get writeFailure(): WriteFailure | undefined {
    return this.#writeFailure;
  }

  get droppedLogLines(): number {
    return this.#options.requestLog?.dropped ?? 0;
  }

  requestFinished(request: FinishedRequest): void {
    this.requests.add(request);
    this.#options.requestLog?.add(request);
  }

  commitStarted(writes: number): void {
    this.groupSizes.observe(writes);
    this.#commitStartedAt = this.#options.now();
  }

  commitFinished(status: CommitStatus, error?: unknown): void {
    this.commitDurations.observe((this.#options.now() - this.#commitStartedAt) / 1000);
    this.commits[status]++;
    const since = this.#writeFailure?.since ?? this.#options.clock();
    const reason = error instanceof Error ? error.message : String(error);
    this.#writeFailure = status === 'committed' ? undefined : { since, reason };
  }

  /** Storage took a commit that was made to find out, and no commit has failed since it was begun. */
  writesRecovered(from: WriteFailure): void {
    if (this.#writeFailure === from) this.#writeFailure = undefined;
  }

  auditFailed(): void {
    this.auditFailures++;
  }

  storageLost(): void {
    this.isStorageLost = true;
  }

  databaseDamaged(): void {
    this.isDatabaseDamaged = true;
  }

  adminKeyRefused(): void {
    const now = this.#options.clock();
    const to = timeOf(now);
    this.keysRefused++;
    const [last, ...earlier] = this.keyRefusals;
    // A clock that was set back begins a new entry.
    const isSameMinute = last !== undefined && Math.abs(now - Date.parse(last.from)) < MINUTE_MS;
    this.keyRefusals = isSameMinute
      ? [{ ...last, to, count: last.count + 1 }, ...earlier]
      : [{ from: to, to, count: 1 }, ...this.keyRefusals.slice(0, KEY_REFUSALS_MAX - 1)];
  }

  identityChecked(outcome: IdentityOutcome, milliseconds: number): void {
    this.identityChecks[outcome]++;
    this.identityDurations.observe(milliseconds / 1000);
    this.lastIdentityOutcome = outcome;
    if (outcome !== 'unavailable') this.identityUnavailableSince = undefined;
    else this.identityUnavailableSince ??= this.#options.clock();
  }

  identityShared(how: 'joined' | 'remembered'): void {
    this.sharedChecks[how]++;
  }

  backupTaken(at: number, milliseconds: number, bytes: number): void {
    this.backups.taken++;
    this.lastBackup = { at, milliseconds, bytes };
  }

  backupFailed(reason: string): void {
    this.backups.failed++;
    this.lastBackup = { ...this.lastBackup, failure: { at: this.#options.clock(), reason } };
  }

  backupsHeldBack(count: number): void {
    this.heldBack = count;
  }

  replicaSynced(milliseconds: number): void {
    this.replicaSyncs.observe(milliseconds / 1000);
  }

  replicaFailed(): void {
    this.replicaFailures++;
  }
}
