// Keeps a replica of the database through Litestream, which acts only on command: every second, between
// two commits.

import type { Litestream, ReplicaReport } from './litestream.js';

export interface ReplicaOptions {
  readonly litestream: Litestream;
  /** Makes a commit that changes nothing. */
  readonly touch: () => Promise<void>;
  readonly report: (report: ReplicaReport) => void;
  /** No commit begins before `use` has settled. */
  readonly inTurn: <T>(use: () => Promise<T>) => Promise<T>;
}

/** Between two syncs, and so how far the replica may lag. */
const INTERVAL_MS = 1_000;
/** Litestream may have to send the whole database. */
const SYNC_MAX_SECONDS = 600;
/** If a sync takes longer, commits continue. */
const TURN_MAX_MS = 1_000;
/** How long a stop waits for the replica. */
const LAST_SYNC_MAX_SECONDS = 3;

export class Replica {
  readonly #options: ReplicaOptions;
  #isReached = false;
  #reason: string | undefined;
  /** Litestream has taken a commit of this very file. */
  #isProven = false;
  /** Litestream's, as in its answer. */
  #process: string | undefined;
  /** Commits that the replica may lack: when the oldest was made, and, once a sync has begun, Litestream's number of a change that holds them. */
  #missing: { readonly since: number; txid?: number } | undefined;
  /** When the oldest commit since that sync began was made. */
  #later: number | undefined;
  #syncing: Promise<unknown> | undefined;
  #isClosed = false;
  #wake: () => void = () => {};
  readonly #following: Promise<void>;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#following = this.#follow();
  }

  committed(): void {
    if (this.#missing?.txid !== undefined) this.#later ??= Date.now();
    if (this.#missing !== undefined) return;
    this.#missing = { since: Date.now() };
    this.#report({});
  }

  /** Resolves after a last sync. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#following;
    if (!this.#isReached || this.#missing === undefined || this.#syncing !== undefined) return;
    const last = this.#syncNow(true, LAST_SYNC_MAX_SECONDS).catch(() => {});
    await Promise.race([last, after(LAST_SYNC_MAX_SECONDS * 1_000)]);
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      await this.#round().catch((error: Error) => {
        [this.#isReached, this.#reason] = [false, error.message];
      });
      this.#report({});
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, INTERVAL_MS).unref();
      });
    }
  }

  /** Rejects with the reason if the replica is not reached. */
  async #round(): Promise<void> {
    const answering = await this.#options.litestream.identify();
    if (answering !== this.#process) this.#isProven = false;
    this.#process = answering;
    // A large sync takes long; Litestream answers in the meantime, unless it hangs.
    if (this.#syncing === undefined) {
      if (!this.#isProven) await this.#prove();
      else if (this.#missing !== undefined) await this.#sync();
    }
    if (this.#syncing !== undefined || !this.#isProven) return;
    [this.#isReached, this.#reason] = [true, undefined];
  }

  /** Litestream must take a commit that changes nothing as a change; otherwise it follows another file. */
  async #prove(): Promise<void> {
    const before = await this.#sync();
    if (before === undefined) return;
    await this.#options.touch();
    const answer = await this.#sync();
    if (answer === undefined) return;
    this.#isProven = answer.txid > before.txid;
    if (!this.#isProven)
      throw new Error('Litestream follows another file: it lacks a commit of this one');
  }

  /** Between commits, whose half-written pages Litestream might read. Resolves with undefined if the sync outlasts its turn. */
  #sync() {
    const sync = () => Promise.race([this.#syncNow(false, SYNC_MAX_SECONDS), after(TURN_MAX_MS)]);
    return this.#options.inTurn(sync);
  }

  async #syncNow(wait: boolean, maxSeconds: number) {
    const since = performance.now();
    if (this.#missing !== undefined) this.#missing.txid ??= Number.POSITIVE_INFINITY;
    const syncing = this.#options.litestream.sync(wait, maxSeconds);
    this.#syncing = syncing;
    try {
      const answer = await syncing;
      if (this.#missing?.txid !== undefined) {
        // A restarted Litestream may count from 1 again.
        this.#missing.txid = Math.min(this.#missing.txid, answer.txid);
        if (answer.replicatedTxid >= this.#missing.txid) {
          this.#missing = this.#later === undefined ? undefined : { since: this.#later };
          this.#later = undefined;
        }
      }
      this.#report({ syncMilliseconds: performance.now() - since });
      return answer;
    } catch (error) {
      this.#report({ hasFailed: true });
      throw error;
    } finally {
      this.#syncing = undefined;
    }
  }

  #report(of: Partial<ReplicaReport>): void {
    const [isReached, reason] = [this.#isReached, this.#reason];
    this.#options.report({ isReached, reason, behindSince: this.#missing?.since, ...of });
  }
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds, undefined).unref());
}
