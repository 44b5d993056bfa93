// Counts what the service reports, from its start on. Reading the
// figures changes nothing: there may be several readers.

import type {
  CommitStatus,
  FinishedRequest,
  IdentityOutcome,
  ServiceEvents,
} from '../../core/service-events.js';
import { Histogram } from './histogram.js';
import { KeyRefusals } from './key-refusals.js';
import { LastHour } from './last-hour.js';
import type { RequestLog } from './request-log.js';
import { DURATION_BOUNDS_SECONDS, RequestSeries } from './request-series.js';

/** Up to the largest group that is committed at once. */
const GROUP_BOUNDS_WRITES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

export interface MeterOptions {
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  readonly requestLog?: RequestLog | undefined;
}

/** Commits that fail: since when, and the last one's reason. */
export interface WriteFailure {
  /** Milliseconds since 1970, UTC. */
  readonly since: number;
  readonly reason: string;
}

export class Meter implements ServiceEvents {
  readonly #options: MeterOptions;
  readonly requests = new RequestSeries();
  readonly lastHour: LastHour;
  readonly commitDurations = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly groupSizes = new Histogram(GROUP_BOUNDS_WRITES);
  readonly commits = new Counts<CommitStatus>([
    'committed',
    'notStored',
    'storedUnconfirmed',
    'unknown',
  ]);
  readonly replicaSyncs = new Histogram(DURATION_BOUNDS_SECONDS);
  replicaFailures = 0;
  readonly identityChecks = new Counts<IdentityOutcome>(['identified', 'invalid', 'unavailable']);
  readonly identityDurations = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly cachedChecks = new Counts<'joined' | 'remembered'>(['joined', 'remembered']);
  readonly backups = new Counts<'taken' | 'failed'>(['taken', 'failed']);
  /** Old backups that hold much more than those after them. */
  heldBack = 0;
  auditFailures = 0;
  readonly keyRefusals = new KeyRefusals();
  isStorageLost = false;
  isDatabaseDamaged = false;
  lastIdentityOutcome: IdentityOutcome | undefined;
  /** Since when the provider gives no usable answer, in milliseconds since 1970; undefined if the last one was usable. */
  identityUnavailableSince: number | undefined;
  lastBackup: LastBackup | undefined;
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
    this.commits.add(status);
    if (status === 'committed') {
      this.#writeFailure = undefined;
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    this.#writeFailure = {
      since: this.#writeFailure?.since ?? this.#options.clock(),
      reason,
    };
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
    this.keyRefusals.add(this.#options.clock());
  }

  identityChecked(outcome: IdentityOutcome, milliseconds: number): void {
    this.identityChecks.add(outcome);
    this.identityDurations.observe(milliseconds / 1000);
    this.lastIdentityOutcome = outcome;
    this.identityUnavailableSince =
      outcome === 'unavailable'
        ? (this.identityUnavailableSince ?? this.#options.clock())
        : undefined;
  }

  identityShared(how: 'joined' | 'remembered'): void {
    this.cachedChecks.add(how);
  }

  backupTaken(at: number, milliseconds: number, bytes: number): void {
    this.backups.add('taken');
    this.lastBackup = { at, milliseconds, bytes, failedSince: false };
  }

  backupFailed(reason: string): void {
    this.backups.add('failed');
    this.lastBackup = {
      ...this.lastBackup,
      failedSince: true,
      failure: { at: this.#options.clock(), reason },
    };
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

  get droppedLogLines(): number {
    return this.#options.requestLog?.dropped ?? 0;
  }
}

/** The last backup of this process; without a time if none has succeeded. */
export interface LastBackup {
  /** Milliseconds since 1970, UTC. */
  readonly at?: number;
  readonly milliseconds?: number;
  readonly bytes?: number;
  /** Whether the one after it failed. */
  readonly failedSince: boolean;
  /** The last failure, where none has succeeded since. Milliseconds since 1970, UTC. */
  readonly failure?: { readonly at: number; readonly reason: string };
}

/** How often each of a few outcomes was met; all are there from the start, so that a rate can be taken of the first. */
export class Counts<Name extends string> {
  readonly #counts: Map<Name, number>;

  constructor(names: readonly Name[]) {
    this.#counts = new Map(names.map((name) => [name, 0]));
  }

  add(name: Name): void {
    this.#counts.set(name, this.of(name) + 1);
  }

  of(name: Name): number {
    return this.#counts.get(name) ?? 0;
  }

  [Symbol.iterator](): IterableIterator<[Name, number]> {
    return this.#counts.entries();
  }
}
