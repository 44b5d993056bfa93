// The storage's knowledge of its replica. The storage thread reports it; commits ask for it.

import type { ReplicaReport, ReplicationMode } from '../replication/replica-report.js';

export interface ReplicationOptions {
  readonly mode: ReplicationMode;
  /** Path of Litestream's control socket. */
  readonly socketPath: string;
  /** Called at every sync and at every change of the replica's state. */
  readonly onReport?: (report: ReplicaReport) => void;
}

/** The storage thread's last report of the replica. */
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

  /** Why no write is accepted now: in `sync`, as long as the replica is not reached. */
  get refusal(): string | undefined {
    if (this.#replication?.mode !== 'sync' || this.#last?.isReached) return undefined;
    return this.#last?.reason ?? 'the replica has not been reached yet';
  }
}
