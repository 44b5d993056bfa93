// Keeps a replica of the database through Litestream, which acts only when it is told to: every
// second, between two commits. Runs in the storage thread.

import { Behind } from './behind.js';
import { type Litestream, LitestreamUnreachable, type SyncAnswer } from './litestream.js';

/** Sent after every sync and whenever what is known of the replica changes. */
export interface ReplicaReport {
  /** Litestream follows the database, and the last sync succeeded. */
  readonly isReached: boolean;
  /** Why it is not reached, in one sentence. */
  readonly reason: string | undefined;
  /** When the oldest commit was made that the replica is not known to have; milliseconds since 1970, UTC. */
  readonly behindSince: number | undefined;
  /** Of the sync that just succeeded. */
  readonly syncMilliseconds?: number;
  /** A sync just failed. */
  readonly hasFailed?: boolean;
}

export interface ReplicaOptions {
  readonly litestream: Litestream;
  readonly report: (report: ReplicaReport) => void;
  /** One use of the file at a time: no commit begins before `use` has settled. */
  readonly inTurn: <T>(use: () => Promise<T>) => Promise<T>;
  /** A commit that changes nothing. */
  readonly touch: () => Promise<void>;
  /** Litestream has been gone for a minute. `pid`: its last process id, if it was ever known. */
  readonly onLongAbsence: (pid: number | undefined) => void;
}

/** Between two syncs, and so what the replica may lack. */
const INTERVAL_MS = 1_000;
/** Litestream may have to send the whole database. */
const SYNC_MAX_SECONDS = 600;
/** If a sync takes longer, commits go on. */
const TURN_MAX_MS = 1_000;
/** Twice the time that Litestream gives its last sync when it is stopped: by then its process is gone. */
const LONG_ABSENCE_MS = 60_000;
/** How long a stop waits for the replica to get the last commits. */
const LAST_SYNC_MAX_SECONDS = 3;

export class Replica {
  readonly #options: ReplicaOptions;
  #isReached = false;
  #reason: string | undefined;
  /** Litestream has been seen to take a commit of this very file. */
  #isProven = false;
  #process: string | undefined;
  #pid: number | undefined;
  readonly #behind = new Behind();
  /** The sync under way. */
  #syncing: Promise<SyncAnswer> | undefined;
  #absentSince: number | undefined;
  #isClosed = false;
  #wake: () => void = () => {};
  readonly #following: Promise<void>;

  /** Starts at once. */
  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#following = this.#follow();
  }

  /** Tells that something was committed. */
  committed(): void {
    const isNews = this.#behind.since === undefined;
    this.#behind.committed(Date.now());
    if (isNews) this.#report({});
  }

  /** Resolves after a last sync; Litestream is not asked afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#following;
    if (this.#isReached && this.#behind.since !== undefined && this.#syncing === undefined) {
      const last = this.#syncNow(true, LAST_SYNC_MAX_SECONDS).catch(() => {});
      await Promise.race([last, after(LAST_SYNC_MAX_SECONDS * 1_000)]);
    }
    this.#options.litestream.close();
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#round();
      } catch (error) {
        this.#lose(error);
      }
      if (this.#isClosed) return;
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([after(INTERVAL_MS), woken]);
    }
  }

  /** Rejects with the reason if the replica is not reached. */
  async #round(): Promise<void> {
    const { process, pid } = await this.#options.litestream.identify();
    if (process !== this.#process) this.#isProven = false;
    [this.#process, this.#pid, this.#absentSince] = [process, pid, undefined];
    // A sync that sends much takes long; Litestream answers in the meantime, unless it hangs.
    if (this.#syncing === undefined) {
      if (!this.#isProven) await this.#prove();
      else if (this.#behind.since !== undefined) await this.#sync();
    }
    if (this.#syncing !== undefined) this.#report({});
    else if (!this.#isReached) {
      [this.#isReached, this.#reason] = [true, undefined];
      this.#report({});
    }
  }

  /** Litestream must take a commit that changes nothing as a change; otherwise it follows another file. */
  async #prove(): Promise<void> {
    const before = await this.#sync();
    if (before === undefined) return;
    await this.#options.inTurn(this.#options.touch);
    const answer = await this.#sync();
    if (answer === undefined) return;
    if (answer.txid <= before.txid) {
      throw new Error(
        `Litestream's number of changes stays at ${answer.txid} after a commit: it follows another file`,
      );
    }
    this.#isProven = true;
  }

  /** During a commit Litestream might meet its half-written pages. Resolves with undefined if the sync goes on after its turn. */
  #sync(): Promise<SyncAnswer | undefined> {
    return this.#options.inTurn(() =>
      Promise.race([this.#syncNow(false, SYNC_MAX_SECONDS), after(TURN_MAX_MS)]),
    );
  }

  async #syncNow(wait: boolean, maxSeconds: number): Promise<SyncAnswer> {
    const since = performance.now();
    this.#behind.syncBegan();
    this.#syncing = this.#options.litestream.sync(wait, maxSeconds);
    try {
      const answer = await this.#syncing;
      this.#behind.syncEnded(answer.txid, answer.replicatedTxid);
      this.#report({ syncMilliseconds: performance.now() - since });
      return answer;
    } catch (error) {
      this.#report({ hasFailed: true });
      throw error;
    } finally {
      this.#syncing = undefined;
    }
  }

  #lose(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const isNews = this.#isReached || this.#reason !== reason;
    [this.#isReached, this.#reason] = [false, reason];
    if (isNews) this.#report({});
    if (!(error instanceof LitestreamUnreachable && error.isAbsent)) {
      this.#absentSince = undefined;
      return;
    }
    const now = performance.now();
    this.#absentSince ??= now;
    if (now - this.#absentSince < LONG_ABSENCE_MS) return;
    this.#absentSince = now;
    this.#options.onLongAbsence(this.#pid);
  }

  #report(of: Partial<ReplicaReport>): void {
    const [isReached, reason] = [this.#isReached, this.#reason];
    this.#options.report({ isReached, reason, behindSince: this.#behind.since, ...of });
  }
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds, undefined).unref());
}
