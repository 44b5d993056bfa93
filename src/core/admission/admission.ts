// Limits the memory of requests, which is the bytes of bodies and of long responses, per account and in
// total. A request that would exceed a limit waits until others are done. It is never refused.

import { FairQueue, type IsDisconnected, type WaitingTurn } from './fair-queue.js';

const DEFAULT_LIMITS = {
  /** An account's limit: 16 bodies of the largest size. */
  accountMaxBytes: 16 * 1_048_576,
  /** The limit of all accounts together, beyond each account's own share. */
  totalMaxBytes: 64 * 1_048_576,
  /** Always available to each account: one body of the largest size and one long response. */
  ownShareBytes: 1_048_576 + 393_216,
};
export type AdmissionLimits = Readonly<typeof DEFAULT_LIMITS>;

/** Maximum requests that a release starts. One large body makes room for thousands of small ones. */
const STARTS_PER_RELEASE = 16;

interface Claim extends WaitingTurn {
  readonly account: string;
  readonly bytes: number;
}

export class Admission {
  readonly #limits: AdmissionLimits;
  /** Bytes by account. */
  readonly #held = new Map<string, number>();
  readonly #waiting = new FairQueue<Claim>();
  /** The sum over all accounts. */
  heldBytes = 0;

  constructor(limits: Partial<AdmissionLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /**
   * Reserves bytes for an account, at once or when it is the account's turn, until `release`. Rejects with a
   * `FailureError`, and reserves nothing, if the client disconnects while it waits.
   */
  acquire(
    account: string,
    bytes: number,
    isDisconnected: IsDisconnected,
  ): Promise<void> | undefined {
    const isNext = this.#waiting.firstOf(account) === undefined;
    if (isNext && this.#tryReserve(account, bytes)) return undefined;
    return new Promise((resolve, reject) => {
      this.#waiting.add(account, { account, bytes, isDisconnected, resolve, reject });
    });
  }

  release(account: string, bytes: number): void {
    const held = (this.#held.get(account) ?? 0) - bytes;
    if (held === 0) this.#held.delete(account);
    else this.#held.set(account, held);
    this.heldBytes -= bytes;
    for (let started = 0; started < STARTS_PER_RELEASE && this.#waiting.size > 0; started++) {
      const next = this.#waiting.take((claim) => this.#tryReserve(claim.account, claim.bytes));
      if (next === undefined) return;
      next.resolve();
    }
  }

  #tryReserve(account: string, bytes: number): boolean {
    const { accountMaxBytes, totalMaxBytes, ownShareBytes } = this.#limits;
    const held = (this.#held.get(account) ?? 0) + bytes;
    const total = this.heldBytes + bytes;
    const fits = held <= accountMaxBytes && total <= totalMaxBytes;
    if (held > ownShareBytes && !fits) return false;
    this.#held.set(account, held);
    this.heldBytes = total;
    return true;
  }
}
