// What the storage thread tells of the replica.

/** Whether a write is acknowledged when this disk has it, or when the replica has it. */
export type ReplicationMode = 'async' | 'sync';

/** Told at every sync and at every change of what is known of the replica. */
export interface ReplicaReport {
  /** The last sync succeeded. In `sync`, writes are taken only then. */
  readonly isReached: boolean;
  /** One sentence: why it is not reached. */
  readonly reason: string | undefined;
  /** Since when the oldest commit waits that the replica is not known to have; milliseconds since 1970, UTC. */
  readonly behindSince: number | undefined;
  /** How long the sync took that this report is of. */
  readonly syncMilliseconds?: number;
  /** It is of a sync that failed. */
  readonly hasFailed?: boolean;
}
