// Keeps a replica of the database through Litestream, which acts only on command: every second, between
// two commits.

import { resolve } from 'node:path';
import { litestreamOn } from './litestream.js';

/**
 * Sent after every sync, and every second.
 * `isReached`: Litestream follows the database, and the last sync succeeded; `reason`: why not.
 * `behindSince`: when the oldest commit was made that the replica is not known to have, in
 * milliseconds since 1970, UTC. `syncMilliseconds` and `hasFailed` are of the sync that just ended.
 */
export interface ReplicaReport {
  readonly isReached: boolean;
  readonly reason: string | undefined;
  readonly behindSince: number | undefined;
  readonly syncMilliseconds?: number;
  readonly hasFailed?: boolean;
}

export interface ReplicatedFile {
  readonly socketPath: string;
  readonly onReport?: (report: ReplicaReport) => void;
  readonly path: string;
  /** Makes a commit that changes nothing. */
  readonly touch: () => Promise<void>;
  /** No commit begins before `use` has settled. */
  readonly inTurn: <T>(use: () => Promise<T>) => Promise<T>;
}

/** Between two syncs, and so how far the replica may lag. */
const INTERVAL_MS = 1_000;
/** Litestream may have to send the whole database. */
const SYNC_MAX_SECONDS = 600;
/** Commits stop waiting for a sync that takes longer. */
const TURN_MAX_MS = 1_000;
/** How long a stop waits for the replica. */
const LAST_SYNC_MAX_SECONDS = 3;

export class Replica {
  readonly #file: ReplicatedFile;
  readonly #litestream: ReturnType<typeof litestreamOn>;
  #state: Pick<ReplicaReport, 'isReached' | 'reason'> = { isReached: false, reason: undefined };
  /** The Litestream that has taken a commit of this very file. */
  #proven: string | undefined;
  /**
   * Commits that the replica may lack: when the oldest was made, and, once a sync has begun, Litestream's
   * number of a change that holds them, and when the oldest commit since then was made.
   */
  #missing: { readonly since: number; txid?: number; later?: number } | undefined;
  #isSyncing = false;
  #round: Promise<void> | undefined;
  readonly #timer = setInterval(() => this.#look(), INTERVAL_MS).unref();

  constructor(file: ReplicatedFile) {
    this.#file = file;
    this.#litestream = litestreamOn(resolve(file.socketPath), file.path);
    this.#look();
  }

  committed(): void {
    this.#missing ??= { since: Date.now() };
    if (this.#missing.txid !== undefined) this.#missing.later ??= Date.now();
  }

  /** Resolves after a last sync. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
    if (!this.#state.isReached || !this.#missing || this.#isSyncing) return;
    const last = this.#sync(true, LAST_SYNC_MAX_SECONDS).catch(() => {});
    await Promise.race([last, after(LAST_SYNC_MAX_SECONDS * 1_000)]);
  }

  #look(): void {
    this.#round ??= this.#ask()
      .catch(({ message }: Error) => ({ isReached: false, reason: message }))
      .then((state) => {
        [this.#state, this.#round] = [state, undefined];
        this.#report();
      });
  }

  /** Rejects with the reason if the replica is not reached. */
  async #ask() {
    const answering = await this.#litestream.identify();
    // A large sync takes long; Litestream answers in the meantime, unless it hangs.
    if (!this.#isSyncing) {
      if (answering !== this.#proven) await this.#prove(answering);
      else if (this.#missing !== undefined) await this.#syncInTurn();
    }
    if (this.#isSyncing || answering !== this.#proven) return this.#state;
    return { isReached: true, reason: undefined };
  }

  /** Litestream must take a commit that changes nothing as a change; otherwise it follows another file. */
  async #prove(answering: string): Promise<void> {
    const first = await this.#syncInTurn();
    if (first === undefined) return;
    await this.#file.touch();
    const second = await this.#syncInTurn();
    if (second === undefined) return;
    if (second.txid <= first.txid)
      throw new Error('Litestream follows another file: it lacks a commit of this one');
    this.#proven = answering;
  }

  /** Between commits, whose half-written pages Litestream might read. Resolves with undefined if the sync outlasts its turn. */
  #syncInTurn() {
    const sync = () => Promise.race([this.#sync(false, SYNC_MAX_SECONDS), after(TURN_MAX_MS)]);
    return this.#file.inTurn(sync);
  }

  async #sync(wait: boolean, maxSeconds: number) {
    const since = performance.now();
    if (this.#missing !== undefined) this.#missing.txid ??= Number.POSITIVE_INFINITY;
    this.#isSyncing = true;
    try {
      const answer = await this.#litestream.sync(wait, maxSeconds);
      if (this.#missing?.txid !== undefined) {
        // A restarted Litestream may count from 1 again.
        this.#missing.txid = Math.min(this.#missing.txid, answer.txid);
        const { txid, later } = this.#missing;
        if (answer.replicatedTxid >= txid) this.#missing = later ? { since: later } : undefined;
      }
      this.#report({ syncMilliseconds: performance.now() - since });
      return answer;
    } catch (error) {
      this.#report({ hasFailed: true });
      throw error;
    } finally {
      this.#isSyncing = false;
    }
  }

  #report(more: Partial<ReplicaReport> = {}): void {
    this.#file.onReport?.({ ...this.#state, behindSince: this.#missing?.since, ...more });
  }
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds, undefined).unref());
}
