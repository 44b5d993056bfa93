// Counts what the service reports of itself, from its start on. Reading the figures changes
// nothing: there may be several readers.

import type {
  CommitStatus,
  FinishedRequest,
  IdentityOutcome,
  ServiceEvents,
} from '../../core/service-events.js';
import { Histogram } from './exposition.js';
import type { RequestLog } from './request-log.js';
import { DURATION_BOUNDS_SECONDS, RequestMetrics } from './request-metrics.js';

/** Up to the largest group that is committed at once. */
const GROUP_BOUNDS_WRITES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** All counters exist from the start, so that a rate covers the first event. Times are milliseconds since 1970, UTC. */
export class Meter implements ServiceEvents {
  readonly requestLog: RequestLog | undefined;
  readonly requests = new RequestMetrics();
  readonly commitDurations = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly groupSizes = new Histogram(GROUP_BOUNDS_WRITES);
  readonly commits = { committed: 0, notStored: 0, unknown: 0 };
  /** Every commit has failed since then; the reason is the last one's. */
  writeFailure: { readonly since: number; readonly reason: string } | undefined;
  readonly replicaSyncs = new Histogram(DURATION_BOUNDS_SECONDS);
  replicaFailures = 0;
  readonly identityChecks = { identified: 0, invalid: 0, unavailable: 0 };
  readonly identityDurations = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly sharedChecks = { joined: 0, remembered: 0 };
  /** Since when the provider gives no usable answer; undefined if its last one was usable. */
  identityUnavailableSince: number | undefined;
  readonly backups = { taken: 0, failed: 0 };
  /** The last failed backup, if none has succeeded since. */
  backupFailure: { readonly at: number; readonly reason: string } | undefined;
  auditFailures = 0;
  keysRefused = 0;
  lastKeyRefusedAt: number | undefined;
  isStorageLost = false;
  #commitStartedAt = 0;

  constructor(requestLog?: RequestLog) {
    this.requestLog = requestLog;
  }

  requestFinished(request: FinishedRequest): void {
    this.requests.add(request);
    this.requestLog?.add(request);
  }

  commitStarted(writes: number): void {
    this.groupSizes.observe(writes);
    this.#commitStartedAt = performance.now();
  }

  commitFinished(status: CommitStatus, error?: unknown): void {
    this.commitDurations.observe((performance.now() - this.#commitStartedAt) / 1000);
    this.commits[status]++;
    const since = this.writeFailure?.since ?? Date.now();
    const reason = error instanceof Error ? error.message : String(error);
    this.writeFailure = status === 'committed' ? undefined : { since, reason };
  }

  auditFailed(): void {
    this.auditFailures++;
  }

  storageLost(): void {
    this.isStorageLost = true;
  }

  adminKeyRefused(): void {
    this.keysRefused++;
    this.lastKeyRefusedAt = Date.now();
  }

  identityChecked(outcome: IdentityOutcome, milliseconds: number): void {
    this.identityChecks[outcome]++;
    this.identityDurations.observe(milliseconds / 1000);
    if (outcome !== 'unavailable') this.identityUnavailableSince = undefined;
    else this.identityUnavailableSince ??= Date.now();
  }

  identityShared(how: 'joined' | 'remembered'): void {
    this.sharedChecks[how]++;
  }

  backupTaken(): void {
    this.backups.taken++;
    this.backupFailure = undefined;
  }

  backupFailed(reason: string): void {
    this.backups.failed++;
    this.backupFailure = { at: Date.now(), reason };
  }

  replicaSynced(milliseconds: number): void {
    this.replicaSyncs.observe(milliseconds / 1000);
  }

  replicaFailed(): void {
    this.replicaFailures++;
  }
}
