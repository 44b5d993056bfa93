// The gate of all requests. How much of one account may be under way is bounded, in bytes: of
// bodies, of answers, and of what any request may hold. What is beyond is not read or made until
// others are done. It is never refused.

import type { MaybePromise } from '../maybe-promise.js';
import type { FairScheduler, IsDisconnected } from './fair-scheduler.js';

/** What any request counts as, at least: its part of a list, its state while it waits. */
const REQUEST_BYTES = 65_536;
/** Of each limit, for claims larger than that: small requests pass slow uploads and unread answers. */
const LARGE_CLAIMS_SHARE = 0.75;
/** Accounts that stay in the map although they hold nothing: a new entry for each request costs a read 4 %. */
const IDLE_ACCOUNTS_MAX = 1_000;

const DEFAULT_LIMITS = {
  /** Of one account: 256 small requests, or 12 bodies of the largest size and 64 small requests. */
  accountMaxBytes: 16 * 1_048_576,
  /** Of all accounts together, in addition to each account's own share. */
  totalMaxBytes: 64 * 1_048_576,
  /** Always free for each account: one body of the largest size and one long answer. */
  ownShareBytes: 1_048_576 + 393_216,
};
export type AdmissionLimits = Readonly<typeof DEFAULT_LIMITS>;

/** No limit, for a host on which one request must not wait for another. */
export const UNLIMITED = { accountMaxBytes: Infinity, totalMaxBytes: Infinity };

export class Admission {
  readonly #scheduler: FairScheduler;
  readonly #limits: AdmissionLimits;
  /** Bytes by account. */
  readonly #held = new Map<string, number>();
  /** Of all accounts. */
  heldBytes = 0;

  /** A limit that is not given has its default. */
  constructor(scheduler: FairScheduler, limits: Partial<AdmissionLimits> = {}) {
    this.#scheduler = scheduler;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /**
   * Runs a request of the account as soon as it may begin, with these bytes for its body. Rejects,
   * as a failure, if its client has gone while it waited.
   */
  run<T>(
    account: string,
    bodyBytes: number,
    isDisconnected: IsDisconnected,
    act: () => MaybePromise<T>,
  ): MaybePromise<T> {
    const bytes = Math.max(bodyBytes, REQUEST_BYTES);
    const end = () => this.end(account, bytes);
    const actHeld = () => {
      let result: MaybePromise<T> | undefined;
      try {
        result = act();
        return result;
      } finally {
        if (result instanceof Promise) void result.then(end, end);
        else end();
      }
    };
    const turn = this.begin(account, bytes, isDisconnected);
    return turn === undefined ? actHeld() : turn.then(actHeld);
  }

  /**
   * Takes bytes for an account, at once or in turn; `end` gives them back. Rejects, as a failure,
   * with nothing taken, if the client has gone while it waited.
   */
  begin(account: string, bytes: number, isDisconnected: IsDisconnected): Promise<void> | undefined {
    const isLarge = bytes > REQUEST_BYTES;
    // Large claims wait in a lane of their own, so that no small request stands behind one. A
    // subject has no line break (`claims.ts`).
    const lane = isLarge ? `${account}\n` : account;
    const { accountMaxBytes, totalMaxBytes, ownShareBytes } = this.#limits;
    const share = isLarge ? LARGE_CLAIMS_SHARE : 1;
    return this.#scheduler.admit(lane, isDisconnected, () => {
      const held = (this.#held.get(account) ?? 0) + bytes;
      const total = this.heldBytes + bytes;
      const fits = held <= accountMaxBytes * share && total <= totalMaxBytes * share;
      if (held > ownShareBytes && !fits) return false;
      this.#held.set(account, held);
      this.heldBytes = total;
      return true;
    });
  }

  end(account: string, bytes: number): void {
    const held = (this.#held.get(account) ?? 0) - bytes;
    if (held === 0 && this.#held.size > IDLE_ACCOUNTS_MAX) this.#held.delete(account);
    else this.#held.set(account, held);
    this.heldBytes -= bytes;
    this.#scheduler.wake();
  }
}
