// Keeps a replica of the database through Litestream, which syncs only on command: every second, while no
// commit runs.

import { resolve } from 'node:path';
import { litestreamOn } from './litestream.js';

/**
 * Sent after every sync, and every second.
 * `isReached`: Litestream follows the database, and the last sync succeeded; `reason`: why not.
 * `behindSince`: the time of the oldest commit that the replica may lack, in milliseconds since 1970, UTC.
 * `syncMilliseconds` and `hasFailed` describe the sync that just ended.
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
  /** No commit starts while the function runs. */
  readonly commitMutex: <T>(run: () => Promise<T>) => Promise<T>;
}

/** Between two syncs, so the replica may lag by this much. */
const INTERVAL_MS = 1_000;
/** Litestream may have to send the whole database. */
const SYNC_MAX_SECONDS = 600;
/** How long commits wait for a sync. */
const COMMITS_WAIT_MAX_MS = 1_000;
/** How long a shutdown waits for the replica. */
const LAST_SYNC_MAX_SECONDS = 3;

export class Replica {
  readonly #file: ReplicatedFile;
  readonly #litestream: ReturnType<typeof litestreamOn>;
  #state: Pick<ReplicaReport, 'isReached' | 'reason'> = { isReached: false, reason: undefined };
  /** The Litestream process that is known to follow this file. */
  #verified: string | undefined;
  /**
   * Commits that the replica may lack: the time of the oldest, and, once a sync has started, Litestream's
   * number of a change that contains them, and the time of the oldest commit since then.
   */
  #missing: { readonly since: number; txid?: number; later?: number } | undefined;
  #isSyncing = false;
  #polling: Promise<void> | undefined;
  readonly #timer = setInterval(() => this.#poll(), INTERVAL_MS).unref();

  constructor(file: ReplicatedFile) {
    this.#file = file;
    this.#litestream = litestreamOn(resolve(file.socketPath), file.path);
    this.#poll();
  }

  committed(): void {
    this.#missing ??= { since: Date.now() };
    if (this.#missing.txid !== undefined) this.#missing.later ??= Date.now();
  }

  /** Resolves after a last sync. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#polling;
    if (!this.#state.isReached || !this.#missing || this.#isSyncing) return;
    const last = this.#sync(true, LAST_SYNC_MAX_SECONDS).catch(() => {});
    await Promise.race([last, delay(LAST_SYNC_MAX_SECONDS * 1_000)]);
  }

  #poll(): void {
    this.#polling ??= this.#syncIfNeeded()
      .catch(({ message }: Error) => ({ isReached: false, reason: message }))
      .then((state) => {
        [this.#state, this.#polling] = [state, undefined];
        this.#report();
      });
  }

  /** Rejects with the reason if the replica is not reached. */
  async #syncIfNeeded() {
    const instance = await this.#litestream.identify();
    // A large sync takes long, and Litestream responds in the meantime, unless it hangs.
    if (!this.#isSyncing) {
      if (instance !== this.#verified) await this.#verify(instance);
      else if (this.#missing !== undefined) await this.#syncBetweenCommits();
    }
    if (this.#isSyncing || instance !== this.#verified) return this.#state;
    return { isReached: true, reason: undefined };
  }

  /** A commit that changes nothing must appear in Litestream as a change; otherwise it follows another file. */
  async #verify(instance: string): Promise<void> {
    const first = await this.#syncBetweenCommits();
    if (first === undefined) return;
    await this.#file.touch();
    const second = await this.#syncBetweenCommits();
    if (second === undefined) return;
    if (second.txid <= first.txid)
      throw new Error('Litestream follows another file: it lacks a commit of this one');
    this.#verified = instance;
  }

  /** Litestream might read half-written pages of a commit. Resolves with undefined if the sync takes longer than commits wait. */
  #syncBetweenCommits() {
    return this.#file.commitMutex(() =>
      Promise.race([this.#sync(false, SYNC_MAX_SECONDS), delay(COMMITS_WAIT_MAX_MS)]),
    );
  }

  async #sync(wait: boolean, maxSeconds: number) {
    const since = performance.now();
    if (this.#missing !== undefined) this.#missing.txid ??= Number.POSITIVE_INFINITY;
    this.#isSyncing = true;
    try {
      const synced = await this.#litestream.sync(wait, maxSeconds);
      if (this.#missing?.txid !== undefined) {
        // A restarted Litestream may count from 1 again.
        this.#missing.txid = Math.min(this.#missing.txid, synced.txid);
        const { txid, later } = this.#missing;
        if (synced.replicatedTxid >= txid) this.#missing = later ? { since: later } : undefined;
      }
      this.#report({ syncMilliseconds: performance.now() - since });
      return synced;
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

function delay(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds, undefined).unref());
}
