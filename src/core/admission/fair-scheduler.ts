// All accounts share one thread. Long work (searches, long responses, payments, large bodies) runs in time
// slices of about two milliseconds, one slice per event-loop turn, for which accounts take turns. Requests
// of bounded cost don't wait here.

import { FairQueue, type IsDisconnected, type WaitingTurn } from './fair-queue.js';

/** `setImmediate`, or a timer on a host without it. */
export function nextTask(): Promise<void> {
  const { setImmediate = setTimeout } = globalThis as { setImmediate?: (task: () => void) => void };
  return new Promise((resolve) => void setImmediate(resolve));
}

const SLICE_MS = 2;
/** How long new connections may delay a slice. */
const NEW_CONNECTIONS_MAX_MS = 10;

export class FairScheduler {
  /** Resolves in the next event-loop turn, after the host has served waiting requests. */
  readonly pause: () => Promise<void>;
  /** A monotonic clock in milliseconds. */
  readonly #stopwatch: () => number;
  readonly #waiting = new FairQueue<WaitingTurn>();
  /** If true, the next slice waits for another event-loop turn, for a limited time. Set by the host. */
  hasNewConnections = false;
  #isServing = false;
  /** The start of this event-loop turn's slice. */
  #sliceStart: number | undefined;

  constructor({ pause = nextTask, stopwatch = () => performance.now() } = {}) {
    this.pause = pause;
    this.#stopwatch = stopwatch;
  }

  /** Call before each step of long work. Returns undefined if the work may continue at once, otherwise yields. */
  yieldIfNeeded(account: string, isDisconnected?: IsDisconnected): Promise<void> | undefined {
    return this.isSliceSpent() ? this.yield(account, isDisconnected) : undefined;
  }

  /** Resolves at the start of the account's next slice. Rejects with a `FailureError` if the client has disconnected. */
  yield(account: string, isDisconnected?: IsDisconnected): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(account, { isDisconnected, resolve, reject });
      if (!this.#isServing) void this.#serve();
    });
  }

  /** Whether this event-loop turn's slice, which the first call starts, is used up. */
  isSliceSpent(): boolean {
    const now = this.#stopwatch();
    return now - (this.#sliceStart ?? this.#startSlice(now)) >= SLICE_MS;
  }

  /** How many requests wait for a slice. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Starts one slice in each event-loop turn. */
  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#waiting.size > 0) {
      await this.pause();
      const latest = this.#stopwatch() + NEW_CONNECTIONS_MAX_MS;
      while (this.hasNewConnections && this.#stopwatch() < latest) {
        this.hasNewConnections = false;
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
