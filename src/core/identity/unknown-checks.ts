// A semaphore for the checks of unknown tokens. A junk token costs a call to the provider like a good
// one: without a bound, a flood of junk would leave users without answers.

import { FairQueue } from '../admission/fair-queue.js';
import { IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';

/** Checks under way. */
export const UNKNOWN_CHECKS_MAX = 64;
/** Waiting checks of one address. */
export const WAITING_CHECKS_MAX = 1_000;

/** Addresses that wait take turns. */
export class UnknownChecks {
  #free: number;
  readonly #clock: () => number;
  readonly #waiting = new FairQueue<{ since: number; begin: (turn: boolean) => void }>(
    ({ since }) => Math.abs(this.#clock() - since) >= IDENTITY_PROVIDER_TIMEOUT_MS,
    ({ begin }) => begin(false),
  );

  constructor(clock: () => number, max = UNKNOWN_CHECKS_MAX) {
    this.#free = max;
    this.#clock = clock;
  }

  /** Resolves with whether the check may begin, and must `release`: not after a wait of 4 s, nor if too many of its address wait. */
  async acquire(address: string): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    if (this.#waiting.waitingOf(address) >= WAITING_CHECKS_MAX) return false;
    return new Promise((begin) => this.#waiting.add(address, { since: this.#clock(), begin }));
  }

  release(): void {
    this.#waiting.dropGone();
    const next = this.#waiting.take();
    if (next === undefined) this.#free++;
    else next.begin(true);
  }
}
