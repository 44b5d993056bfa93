// All accounts share one thread. Long work is done in slices of about two milliseconds, one slice
// an event-loop turn in all, and the accounts that wait for a slice take turns. The same holds for
// requests that are about to begin: a burst of them is spread.

import { FailureError, failed } from '../domain/errors.js';
import { FairQueue } from './fair-queue.js';

/** Whether the caller has gone. */
export type IsDisconnected = () => boolean;

/** Ends work that waits for a client that has gone. Nobody reads this answer; the log of requests has it. */
export const DISCONNECTED = failed('BAD_REQUEST', 'the client disconnected before its turn');

/** `setImmediate`, or a timer on a host without it. */
export function nextTask(): Promise<void> {
  const { setImmediate = setTimeout } = globalThis as { setImmediate?: (task: () => void) => void };
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Of a slice for beginnings: a longer one continues as long work while others wait to begin. */
const BEGINNING_MS = 0.25;
/** How long a slice gives way to new connections. */
const GIVE_WAY_MAX_MS = 10;

const DEFAULTS = {
  /** Resolves after the host has served the requests that wait. */
  pause: nextTask,
  /** Milliseconds from any start, never going back. */
  stopwatch: () => performance.now(),
  /** `Infinity` on a host where time stands still while a request computes: no slice ends. */
  sliceMs: 2,
  /** Asked once in each event-loop turn before its slice; true: the slice waits for the next turn, within bounds. */
  givesWay: () => false,
};

/** A request or a piece of work that waits: it continues, or ends if its client has gone. */
interface Waiting {
  readonly isDisconnected: IsDisconnected | undefined;
  /** Of a request only. */
  readonly mayBegin?: () => boolean;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

const hasGone = ({ isDisconnected }: Waiting) => isDisconnected?.() === true;
const end = ({ reject }: Waiting) => reject(new FailureError(DISCONNECTED.failure));

export class FairScheduler {
  readonly #options: typeof DEFAULTS;
  /** Requests that wait to begin. */
  readonly #beginnings = new FairQueue(hasGone, end);
  /** Some of them may be able to in the next turn. */
  #someMayBegin = false;
  /** Pieces of long work. */
  readonly #pieces = new FairQueue(hasGone, end);
  #serving = false;
  /** When the slice of this event-loop turn began. */
  #begun: number | undefined;
  /** When the request that began last in the slice for beginnings did so; undefined outside it. */
  #lastBeginning: number | undefined;

  constructor(options: Partial<typeof DEFAULTS> = {}) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Whether long work must wait for its next slice. To be asked before each step of it. */
  sliceUsed(): boolean {
    if (this.#turnUsed()) return true;
    if (this.#lastBeginning === undefined || this.#beginnings.size === 0) return false;
    return this.#options.stopwatch() - this.#lastBeginning >= BEGINNING_MS;
  }

  /**
   * Undefined if a request of the lane begins at once; else resolves in a turn of the lane, when
   * `mayBegin` has just answered yes. Rejects, as a failure, if its client has gone.
   */
  admit(lane: string, isDisconnected: IsDisconnected, mayBegin: () => boolean) {
    const isFirst = !this.#someMayBegin && this.#beginnings.waitingOf(lane) === 0;
    if (isFirst && !this.#turnUsed() && mayBegin()) return undefined;
    this.#someMayBegin = true;
    return this.#turnIn(this.#beginnings, lane, { isDisconnected, mayBegin });
  }

  /** To be called when what `mayBegin` looks at has changed. */
  wake(): void {
    if (this.#beginnings.size === 0) return;
    this.#someMayBegin = true;
    void this.#serve();
  }

  /** Resolves at the start of a slice of long work of the account. Rejects, as a failure, if its client has gone. */
  yield(account: string, isDisconnected?: IsDisconnected): Promise<void> {
    return this.#turnIn(this.#pieces, account, { isDisconnected });
  }

  /** How many pieces of long work wait for their turn; requests that are about to begin are not among them. */
  get waiting(): number {
    return this.#pieces.size;
  }

  /** A slice for work that takes no turns with others, from now on. Tells whether it is used. */
  ownSlice(): () => boolean {
    const { stopwatch, sliceMs } = this.#options;
    const begun = stopwatch();
    return () => stopwatch() - begun >= sliceMs;
  }

  /** Resolves in the next event-loop turn. */
  pause(): Promise<void> {
    return this.#options.pause();
  }

  #turnIn(
    queue: FairQueue<Waiting>,
    lane: string,
    of: Omit<Waiting, 'resolve' | 'reject'>,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      queue.add(lane, { ...of, resolve, reject });
      void this.#serve();
    });
  }

  /**
   * In each event-loop turn a slice of requests that begin, then one piece of long work. Requests
   * come first: one of a quiet account must not wait for a piece of every busy one.
   */
  async #serve(): Promise<void> {
    if (this.#serving) return;
    this.#serving = true;
    const { pause, stopwatch, givesWay } = this.#options;
    while (this.#someMayBegin || this.#pieces.size > 0) {
      await pause();
      const end = stopwatch() + GIVE_WAY_MAX_MS;
      while (givesWay() && stopwatch() < end) await pause();
      this.#begin(stopwatch());
      while (this.#someMayBegin && !this.#turnUsed()) {
        this.#lastBeginning = stopwatch();
        const next = this.#beginnings.take(({ mayBegin }) => mayBegin?.() === true);
        this.#someMayBegin = next !== undefined;
        next?.resolve();
        // The request begins, so that its time counts.
        await undefined;
      }
      this.#lastBeginning = undefined;
      if (this.#pieces.size === 0) continue;
      this.#begin(stopwatch());
      this.#pieces.take()?.resolve();
    }
    this.#serving = false;
  }

  /** Whether this event-loop turn has had its slice. */
  #turnUsed(): boolean {
    const { sliceMs, stopwatch } = this.#options;
    if (sliceMs === Infinity) return false;
    const now = stopwatch();
    if (this.#begun === undefined) this.#begin(now);
    return now - (this.#begun ?? now) >= sliceMs;
  }

  #begin(now: number): void {
    this.#begun = now;
    void this.#options.pause().then(() => {
      if (this.#begun === now) this.#begun = undefined;
    });
  }
}
