// What the journal knows of its replica: the storage thread tells it, commits ask it.

import type { ReplicaReport, ReplicationMode } from '../replication/replica-report.js';

export interface ReplicationOptions {
  readonly mode: ReplicationMode;
  /** Path of Litestream's control socket. */
  readonly socketPath: string;
  /** Told at every sync and at every change of what is known of the replica. */
  readonly onReport?: (report: ReplicaReport) => void;
}

/** What the storage thread last said of the replica. */
export class ReplicaNews {
  readonly #replication: ReplicationOptions | undefined;
  #last: ReplicaReport | undefined;

  constructor(replication: ReplicationOptions | undefined) {
    this.#replication = replication;
  }

  take(report: ReplicaReport): void {
    this.#last = report;
    this.#replication?.onReport?.(report);
  }

  get isReplicated(): boolean {
    return this.#replication !== undefined;
  }

  /** Why no write is taken now: in `sync`, while the replica is not reached. */
  get refusal(): string | undefined {
    if (this.#replication?.mode !== 'sync' || this.#last?.isReached) return undefined;
    return this.#last?.reason ?? 'the replica has not been reached yet';
  }
}
