// A bound on the provider's checks under way. A junk token costs a call to the
// provider like a good one: without a bound, a flood of junk tokens would keep the
// provider busy, and signed-in users would get no answer.

import { FairQueue } from '../admission/fair-queue.js';
import { IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';

/** Checks under way of tokens that were good the last time. */
export const KNOWN_CHECKS_MAX = 192;
/** Checks under way of unknown tokens, which may be junk. */
export const UNKNOWN_CHECKS_MAX = 64;
/** Waiting checks of one sender; one more is answered `unavailable`. */
export const WAITING_CHECKS_MAX = 1_000;

interface Waiting {
  readonly since: number;
  readonly begin: (turn: boolean) => void;
}

/** Places for checks under way; senders who wait for one take turns. */
export class Places {
  #free: number;
  readonly #clock: () => number;
  readonly #waiting = new FairQueue<Waiting>({
    isGone: ({ since }) => Math.abs(this.#clock() - since) >= IDENTITY_PROVIDER_TIMEOUT_MS,
    drop: ({ begin }) => begin(false),
  });

  constructor(max: number, clock: () => number) {
    this.#free = max;
    this.#clock = clock;
  }

  /**
   * Resolves with whether the check may begin; if so, `leave` must follow. It may not after it
   * waited as long as the provider's time-out, or if too many of its sender wait already.
   */
  async enter(sender: string): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    if (this.#waiting.waitingOf(sender) >= WAITING_CHECKS_MAX) return false;
    return new Promise((begin) => this.#waiting.add(sender, { since: this.#clock(), begin }));
  }

  leave(): void {
    this.#waiting.dropGone();
    const next = this.#waiting.take();
    if (next === undefined) this.#free++;
    else next.begin(true);
  }
}
