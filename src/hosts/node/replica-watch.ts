// Receives the storage thread's reports of the replica: measures them, logs every change,
// and keeps the last one.

import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { ReplicaReport } from '../../libsql.js';
import type { ReplicationFigures } from '../operations/figures.js';

export interface ReplicaWatchOptions {
  readonly log: Log;
  readonly events: ServiceEvents | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class ReplicaWatch {
  readonly #options: ReplicaWatchOptions;
  #last: ReplicaReport | undefined;
  #whenReached: () => void = () => {};
  /** The state in the last line of the log. */
  #said: string | undefined;

  constructor(options: ReplicaWatchOptions) {
    this.#options = options;
  }

  /** Resolves when the replica is reached, or after this many milliseconds. */
  async reached(maxMs: number): Promise<void> {
    if (this.#last?.isReached) return;
    await new Promise<void>((resolve) => {
      this.#whenReached = resolve;
      setTimeout(resolve, maxMs).unref();
    });
  }

  take(report: ReplicaReport): void {
    const { events } = this.#options;
    this.#last = report;
    if (report.syncMilliseconds !== undefined) events?.replicaSynced(report.syncMilliseconds);
    if (report.hasFailed) events?.replicaFailed();
    this.#logChange(report);
    if (report.isReached) this.#whenReached();
  }

  get figures(): ReplicationFigures {
    const { clock } = this.#options;
    const { isReached = false, reason, behindSince } = this.#last ?? {};
    const behindSeconds =
      behindSince === undefined ? 0 : Math.max(clock() - behindSince, 0) / 1_000;
    return { isReached, reason, behindSeconds };
  }

  #logChange({ isReached, reason }: ReplicaReport): void {
    const { log } = this.#options;
    const now = isReached ? 'reached' : reason;
    if (now === undefined || now === this.#said) return;
    this.#said = now;
    if (isReached) log.info('replica_reached');
    else log.warn('replica_unreachable', { reason: now });
  }
}
