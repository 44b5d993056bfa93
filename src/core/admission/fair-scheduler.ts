// All accounts share one thread. Long work (searches, long answers, payments, large bodies) is done in
// slices of about two milliseconds, one slice an event-loop turn in all, and the accounts that wait for
// a slice take turns. Requests of bounded cost don't wait here.

import { FairQueue, type IsDisconnected, type WaitingTurn } from './fair-queue.js';

/** `setImmediate`, or a timer on a host without it. */
export function nextTask(): Promise<void> {
  const { setImmediate = setTimeout } = globalThis as { setImmediate?: (task: () => void) => void };
  return new Promise((resolve) => void setImmediate(resolve));
}

const SLICE_MS = 2;
/** How long a slice gives way to new connections. */
const GIVE_WAY_MAX_MS = 10;

export class FairScheduler {
  /** Resolves in the next event-loop turn, after the host has served the requests that wait. */
  readonly pause: () => Promise<void>;
  /** Milliseconds from any start, never going back. */
  readonly #stopwatch: () => number;
  readonly #waiting = new FairQueue<WaitingTurn>();
  /** Set to true, it makes the next slice wait for another event-loop turn, within bounds. */
  givesWay = false;
  #isServing = false;
  /** When the slice of this event-loop turn began. */
  #sliceStart: number | undefined;

  constructor({ pause = nextTask, stopwatch = () => performance.now() } = {}) {
    this.pause = pause;
    this.#stopwatch = stopwatch;
  }

  /** Call before each step of long work. Returns undefined if it may continue at once, else yields. */
  yieldIfNeeded(account: string, isDisconnected?: IsDisconnected): Promise<void> | undefined {
    return this.isSliceSpent() ? this.yield(account, isDisconnected) : undefined;
  }

  /** Resolves at the start of the account's next slice. Rejects, as a failure, if its client has gone. */
  yield(account: string, isDisconnected?: IsDisconnected): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(account, { isDisconnected, resolve, reject });
      if (!this.#isServing) void this.#serve();
    });
  }

  /** Whether this event-loop turn has had its slice. */
  isSliceSpent(): boolean {
    const now = this.#stopwatch();
    return now - (this.#sliceStart ?? this.#startSlice(now)) >= SLICE_MS;
  }

  /** How many pieces of long work wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Serves one waiting piece of work in each event-loop turn. */
  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#waiting.size > 0) {
      await this.pause();
      const latest = this.#stopwatch() + GIVE_WAY_MAX_MS;
      while (this.givesWay && this.#stopwatch() < latest) {
        this.givesWay = false;
        await this.pause();
      }
      this.#startSlice(this.#stopwatch());
      this.#waiting.take()?.resolve();
    }
    this.#isServing = false;
  }

  #startSlice(now: number): number {
    this.#sliceStart = now;
    void this.pause().then(() => {
      if (this.#sliceStart === now) this.#sliceStart = undefined;
    });
    return now;
  }
}
