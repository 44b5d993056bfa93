// Keeps a replica of the database at Litestream, which acts only when it is told
// to: in `sync` after every commit, before its answer; in `async` every second.
// It runs in the storage thread.

import { type Litestream, LitestreamUnreachable, type SyncAnswer } from './litestream.js';
import type { ReplicaReport, ReplicationMode } from './replica-report.js';
import { ReplicatedUpTo } from './replicated-up-to.js';

export interface ReplicaOptions {
  readonly mode: ReplicationMode;
  readonly litestream: Litestream;
  readonly report: (report: ReplicaReport) => void;
  /** A commit that changes nothing, in its turn. */
  readonly touch: () => Promise<void>;
  /** Calls it while no commit is under way. */
  readonly betweenCommits: (begin: () => void) => Promise<void>;
  /** Litestream has been gone for a while, and its last process id, where it was ever known. */
  readonly onLongAbsence: (pid: number | undefined) => void;
}

/** Time from one sync to the next in `async`, which is what the replica may lack; and between two looks at an idle Litestream. */
const INTERVAL_MS = 1_000;
/** A Litestream that was lost is tried so often. */
const RETRY_MS = 250;
/** A group of writes that waits longer is answered that the replica has not confirmed it: two of these fit into the write's time limit. */
const CONFIRM_MAX_MS = 6_000;
/** Litestream may have to send the whole database. */
const SYNC_MAX_SECONDS = 600;
/** A sync that takes longer is a reason to ask whether Litestream still answers. */
const BUSY_MAX_MS = 3_000;
/** Where Litestream hangs in `async`, commits go on after this. */
const TURN_MAX_MS = 1_000;
/** Twice the time that Litestream gives its last sync when it is stopped: by then its process is gone. */
const LONG_ABSENCE_MS = 60_000;
/** A stop waits so long for the replica to get the last commits. */
const LAST_SYNC_MAX_SECONDS = 3;

export class Replica {
  readonly #options: ReplicaOptions;
  #isReached = false;
  #reason: string | undefined;
  /** Litestream has been seen to take a commit of this file. */
  #isProven = false;
  #process: string | undefined;
  #pid: number | undefined;
  /** Of the last sync that succeeded at this process of Litestream. */
  #lastTxid = 0;
  #upTo = new ReplicatedUpTo();
  /** The sync under way: one at a time. */
  #syncing: { readonly ended: Promise<Error | undefined>; readonly since: number } | undefined;
  #absentSince: number | undefined;
  #isClosed = false;
  #wake: () => void = () => {};
  #whenReached: (() => void)[] = [];
  #loop: Promise<void> | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** Why no write may be stored now; undefined where one may. */
  get refusal(): string | undefined {
    if (this.#options.mode === 'async' || this.#isReached) return undefined;
    return this.#reason ?? 'the replica has not been reached yet';
  }

  start(): void {
    this.#loop = this.#follow();
  }

  /** Resolves when the replica is reached, or after so long. */
  async reached(maxMs: number): Promise<void> {
    if (this.#isReached) return;
    const reached = new Promise<void>((resolve) => this.#whenReached.push(resolve));
    await Promise.race([reached, after(maxMs)]);
  }

  /** Resolves when no sync is in the way of a commit. */
  async turn(): Promise<void> {
    if (this.#syncing === undefined) return;
    const left = this.#syncing.since + TURN_MAX_MS - performance.now();
    if (left > 0) await Promise.race([this.#syncing.ended, after(left)]);
  }

  /** Something was committed. */
  committed(): void {
    this.#upTo.committed(Date.now());
  }

  /** Resolves when the replica has the commit just made; with one sentence where it is not known to have it. */
  async confirmed(): Promise<string | undefined> {
    const deadline = performance.now() + CONFIRM_MAX_MS;
    let committedAfter = this.#lastTxid;
    // The reason at the end: what Litestream said last, if it said anything.
    let reason = new Error('the replica does not answer in time');
    for (;;) {
      const ended = this.#sync(true, committedAfter);
      const left = Math.max(deadline - performance.now(), 0);
      const failure = await Promise.race([ended, after(left).then(() => 'late' as const)]);
      if (failure === undefined) return undefined;
      if (failure !== 'late') reason = failure;
      if (failure === 'late' || performance.now() + RETRY_MS > deadline) {
        this.#lose(reason);
        return reason.message;
      }
      await after(RETRY_MS);
      // A Litestream that was started again may count anew.
      if (await this.#isOtherProcess().catch(() => false)) committedAfter = 0;
    }
  }

  /** Resolves when nothing is under way any more, after a last sync. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    if (this.#isReached && this.#upTo.behindSince !== undefined && this.#syncing === undefined) {
      await Promise.race([this.#sync(true, 0), after(LAST_SYNC_MAX_SECONDS * 1_000)]);
    }
    this.#options.litestream.close();
    await this.#loop;
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      const failure = this.#isReached ? await this.#keepInTouch() : await this.#reach();
      if (failure !== undefined) this.#lose(failure);
      const isBusy = this.#options.mode === 'async' || this.#isReached;
      await this.#pause(isBusy ? INTERVAL_MS : RETRY_MS);
    }
  }

  /** Asks who is there, has everything so far sent, and sees that Litestream follows this very file. */
  async #reach(): Promise<Error | undefined> {
    try {
      await this.#syncing?.ended;
      const isOther = await this.#isOtherProcess();
      if (this.#isClosed) return undefined;
      const wait = this.#options.mode === 'sync';
      if (isOther) this.#isProven = false;
      let failure = await this.#syncInTurn(wait, 0);
      if (failure === undefined && !this.#isProven) failure = await this.#prove(wait);
      if (failure === undefined) this.#found();
      return failure;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Litestream must take a commit that changes nothing as a change, or it follows another file. */
  async #prove(wait: boolean): Promise<Error | undefined> {
    const before = this.#lastTxid;
    await this.#options.touch();
    const failure = await this.#syncInTurn(wait, before);
    this.#isProven = failure === undefined;
    return failure;
  }

  async #keepInTouch(): Promise<Error | undefined> {
    const isBehind = this.#upTo.behindSince !== undefined;
    if (this.#options.mode === 'async' && isBehind && this.#syncing === undefined) {
      const late = after(INTERVAL_MS).then(() => 'late' as const);
      const failure = await Promise.race([this.#syncInTurn(false, 0), late]);
      if (failure !== 'late') return failure;
    }
    if (this.#syncing !== undefined) {
      this.#report({});
      // A sync may take long, where much is sent; Litestream itself answers meanwhile, unless it hangs.
      if (performance.now() - this.#syncing.since < BUSY_MAX_MS) return undefined;
      return this.#litestreamFailure();
    }
    const failure = await this.#litestreamFailure();
    // A sync that has succeeded meanwhile says more.
    return this.#syncing === undefined ? failure : undefined;
  }

  #litestreamFailure(): Promise<Error | undefined> {
    return this.#options.litestream.identify().then(
      () => undefined,
      (error: Error) => error,
    );
  }

  async #isOtherProcess(): Promise<boolean> {
    const { process, pid } = await this.#options.litestream.identify().catch((error: unknown) => {
      if (this.#syncing === undefined && error instanceof Error) this.#note(error);
      throw error;
    });
    const isOther = process !== this.#process;
    this.#process = process;
    this.#pid = pid;
    if (isOther) this.#lastTxid = 0;
    return isOther;
  }

  /** A sync that begins during a commit might meet its pages while they are written. */
  async #syncInTurn(wait: boolean, committedAfter: number): Promise<Error | undefined> {
    let ended: Promise<Error | undefined> | undefined;
    await this.#options.betweenCommits(() => {
      ended = this.#syncing?.ended ?? this.#sync(wait, committedAfter);
    });
    return ended;
  }

  /** One sync. Resolves with what failed. `committedAfter`: Litestream's number must be higher now. */
  #sync(wait: boolean, committedAfter: number): Promise<Error | undefined> {
    const since = performance.now();
    const mark = this.#upTo.begin();
    const ended = this.#options.litestream
      .sync(wait, this.#isClosed ? LAST_SYNC_MAX_SECONDS : SYNC_MAX_SECONDS)
      .then(
        (answer) => this.#succeeded(answer, committedAfter, mark, since),
        (error: Error) => this.#failed(error, mark),
      )
      .finally(() => {
        this.#syncing = undefined;
      });
    this.#syncing = { ended, since };
    return ended;
  }

  #succeeded(
    { txid, replicatedTxid }: SyncAnswer,
    committedAfter: number,
    mark: number | undefined,
    since: number,
  ): Error | undefined {
    if (txid <= committedAfter) {
      this.#isProven = false;
      const reason = `Litestream's number of changes stays at ${txid} after a commit: it follows another file`;
      return this.#failed(new Error(reason), mark);
    }
    this.#lastTxid = txid;
    this.#upTo.ended(mark, txid, replicatedTxid);
    this.#absentSince = undefined;
    this.#report({ syncMilliseconds: performance.now() - since });
    return undefined;
  }

  #found(): void {
    this.#isReached = true;
    this.#reason = undefined;
    this.#report({});
    for (const resolve of this.#whenReached) resolve();
    this.#whenReached = [];
  }

  #failed(error: Error, mark: number | undefined): Error {
    this.#upTo.failed(mark);
    this.#note(error);
    this.#report({ hasFailed: true });
    return error;
  }

  #lose(error: Error): void {
    if (this.#isClosed) return;
    this.#note(error);
    const wasReached = this.#isReached;
    this.#isReached = false;
    const isNews = wasReached || this.#reason !== error.message;
    this.#reason = error.message;
    if (isNews) this.#report({});
  }

  /** How long Litestream has been gone. */
  #note(error: Error): void {
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
    this.#options.report({
      isReached: this.#isReached,
      reason: this.#reason,
      behindSince: this.#upTo.behindSince,
      ...of,
    });
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#isClosed) return;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([after(milliseconds), woken]);
  }
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}
