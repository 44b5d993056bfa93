// Receives the storage thread's reports of the replica: measures them, logs every change,
// and keeps the last one.

import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { ReplicaReport } from '../../libsql.js';
import type { ReplicaFacts } from './operations.js';

export class ReplicaWatch {
  #last: ReplicaReport | undefined;
  /** The state in the last line of the log. */
  #said: string | undefined;
  #onReached = () => {};
  readonly #reached = new Promise<void>((resolve) => {
    this.#onReached = resolve;
  });

  /** Resolves when the replica was reached, or after this many milliseconds. */
  async reached(maxMs: number): Promise<void> {
    await Promise.race([this.#reached, new Promise((end) => void setTimeout(end, maxMs).unref())]);
  }

  take(report: ReplicaReport, log: Log, events: ServiceEvents | undefined): void {
    const { isReached, reason, syncMilliseconds, hasFailed } = report;
    this.#last = report;
    if (syncMilliseconds !== undefined) events?.replicaSynced(syncMilliseconds);
    if (hasFailed) events?.replicaFailed();
    const state = isReached ? 'reached' : reason;
    const isNews = state !== undefined && state !== this.#said;
    if (isNews && isReached) log.info('replica_reached');
    else if (isNews) log.warn('replica_unreachable', { reason: state });
    this.#said = state ?? this.#said;
    if (isReached) this.#onReached();
  }

  get facts(): ReplicaFacts {
    const { isReached = false, reason = null, behindSince } = this.#last ?? {};
    const behindMs = behindSince === undefined ? 0 : Math.max(Date.now() - behindSince, 0);
    return { reached: isReached, reason, behind_seconds: behindMs / 1_000 };
  }
}
