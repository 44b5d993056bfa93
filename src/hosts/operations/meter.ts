// Counts the service's events since startup. Reading never resets a counter, so there may be several
// readers. Its plain objects are members of `/status` as they are.

import type {
  CommitStatus,
  FinishedRequest,
  IdentityOutcome,
  ServiceEvents,
} from '../../core/service-events.js';
import { Histogram } from './exposition.js';
import type { RequestLog } from './request-log.js';
import { DURATION_BOUNDS_SECONDS, RequestMetrics } from './request-metrics.js';

/** Up to the largest number of writes in a commit. */
const GROUP_BOUNDS_WRITES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** RFC 3339 in UTC. */
const now = () => new Date().toISOString();

/** All counters exist from startup, so that a rate includes the first event. */
export class Meter implements ServiceEvents {
  readonly requestLog: RequestLog | undefined;
  readonly requests = new RequestMetrics();
  readonly commitDurations = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly groupSizes = new Histogram(GROUP_BOUNDS_WRITES);
  readonly writes = {
    commits: { committed: 0, notStored: 0, unknown: 0 },
    /** Since when every commit has failed, and why the last one did. */
    failing_since: null as string | null,
    failing_reason: null as string | null,
    audit_failures: 0,
  };
  readonly identity = {
    /** Since when the provider has given no usable response; null if its last one was usable. */
    unavailable_since: null as string | null,
    checks: { identified: 0, invalid: 0, unavailable: 0 },
    joined: 0,
    remembered: 0,
  };
  readonly identityDurations = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly adminKeys = { refused: 0, last_refused_at: null as string | null };
  readonly backups = { taken: 0, failed: 0 };
  /** Null once a backup succeeds. */
  failedBackup: { readonly at: string; readonly reason: string } | null = null;
  readonly replicaSyncs = new Histogram(DURATION_BOUNDS_SECONDS);
  replicaFailures = 0;
  isStorageLost = false;

  constructor(requestLog?: RequestLog) {
    this.requestLog = requestLog;
  }

  requestFinished(request: FinishedRequest): void {
    this.requests.add(request);
    this.requestLog?.add(request);
  }

  commitEnded(status: CommitStatus, writes: number, milliseconds: number, error?: unknown): void {
    this.groupSizes.observe(writes);
    this.commitDurations.observe(milliseconds / 1000);
    this.writes.commits[status]++;
    const reason = error instanceof Error ? error.message : String(error);
    this.setWritesFailing(status === 'committed' ? null : reason);
  }

  /** `reason` null: writes succeed. */
  setWritesFailing(reason: string | null): void {
    this.writes.failing_since = reason === null ? null : (this.writes.failing_since ?? now());
    this.writes.failing_reason = reason;
  }

  auditFailed(): void {
    this.writes.audit_failures++;
  }

  storageLost(): void {
    this.isStorageLost = true;
  }

  adminKeyRefused(): void {
    this.adminKeys.refused++;
    this.adminKeys.last_refused_at = now();
  }

  identityChecked(outcome: IdentityOutcome, milliseconds: number): void {
    this.identity.checks[outcome]++;
    this.identityDurations.observe(milliseconds / 1000);
    if (outcome !== 'unavailable') this.identity.unavailable_since = null;
    else this.identity.unavailable_since ??= now();
  }

  identityShared(how: 'joined' | 'remembered'): void {
    this.identity[how]++;
  }

  backupTaken(): void {
    this.backups.taken++;
    this.failedBackup = null;
  }

  backupFailed(reason: string): void {
    this.backups.failed++;
    this.failedBackup = { at: now(), reason };
  }

  replicaSynced(milliseconds: number): void {
    this.replicaSyncs.observe(milliseconds / 1000);
  }

  replicaFailed(): void {
    this.replicaFailures++;
  }
}
