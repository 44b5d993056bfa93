// Receives the storage thread's reports of the replica: measures them, logs every change,
// and keeps the last one.

import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { ReplicaReport } from '../../libsql.js';
import type { ReplicationFigures } from '../operations/figures.js';
import type { ReplicaSettings } from '../settings.js';

export interface ReplicaWatchOptions {
  readonly settings: ReplicaSettings;
  readonly log: Log;
  readonly events: ServiceEvents | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class ReplicaWatch {
  readonly #options: ReplicaWatchOptions;
  #last: ReplicaReport | undefined;
  /** The state in the last line of the log. */
  #said: string | undefined;

  constructor(options: ReplicaWatchOptions) {
    this.#options = options;
  }

  get settings(): ReplicaSettings {
    return this.#options.settings;
  }

  take(report: ReplicaReport): void {
    const { events } = this.#options;
    this.#last = report;
    if (report.syncMilliseconds !== undefined) events?.replicaSynced(report.syncMilliseconds);
    if (report.hasFailed) events?.replicaFailed();
    this.#logChange(report);
  }

  get figures(): ReplicationFigures {
    const { settings, clock } = this.#options;
    const { isReached = false, reason, behindSince } = this.#last ?? {};
    const behindSeconds =
      behindSince === undefined ? 0 : Math.max(clock() - behindSince, 0) / 1_000;
    return { mode: settings.mode, isReached, reason, behindSeconds };
  }

  #logChange({ isReached, reason }: ReplicaReport): void {
    const { log, settings } = this.#options;
    const now = isReached ? 'reached' : reason;
    if (now === undefined || now === this.#said) return;
    this.#said = now;
    if (isReached) log.info('replica_reached', { mode: settings.mode });
    else log.warn('replica_unreachable', { mode: settings.mode, reason: now });
  }
}
