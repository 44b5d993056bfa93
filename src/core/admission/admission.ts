// How much of one account may be under way: requests that have begun, and bytes of bodies and
// answers that are held. What is beyond waits and costs next to nothing: the next body is not
// read, and the next piece of an answer is not made, until others are done. It is never refused.

import type { Eventually } from '../eventually.js';
import type { IsDisconnected } from './disconnected.js';
import { requestQueue, type WaitingRequest } from './request-queue.js';

/** Requests of one account that have begun: more than a group of writes or a page of a console needs. */
const ACCOUNT_MAX_BEGUN = 256;
/** For one account: sixteen bodies of the largest size. */
const ACCOUNT_MAX_HELD_BYTES = 16 * 1_048_576;
/** For all accounts together, in addition to each account's own share. */
const TOTAL_MAX_HELD_BYTES = 64 * 1_048_576;
/**
 * This share is always free for each account, even if the others hold everything else: one
 * body of the largest size and one long answer.
 */
const OWN_SHARE_BYTES = 1_048_576 + 393_216;

export interface AdmissionLimits {
  readonly accountMaxBegun: number;
  readonly accountMaxBytes: number;
  readonly totalMaxBytes: number;
  readonly ownShareBytes: number;
}

const DEFAULT_LIMITS: AdmissionLimits = {
  accountMaxBegun: ACCOUNT_MAX_BEGUN,
  accountMaxBytes: ACCOUNT_MAX_HELD_BYTES,
  totalMaxBytes: TOTAL_MAX_HELD_BYTES,
  ownShareBytes: OWN_SHARE_BYTES,
};

/** No limit, for a host on which one request must not wait for another. */
export const UNLIMITED: AdmissionLimits = {
  accountMaxBegun: Number.POSITIVE_INFINITY,
  accountMaxBytes: Number.POSITIVE_INFINITY,
  totalMaxBytes: Number.POSITIVE_INFINITY,
  ownShareBytes: 0,
};

interface BytesClaim extends WaitingRequest {
  readonly bytes: number;
}

interface Account {
  begun: number;
  heldBytes: number;
}

export class Admission {
  readonly #limits: AdmissionLimits;
  /** Every account that has begun a request or holds bytes. */
  readonly #accounts = new Map<string, Account>();
  readonly #beginning = requestQueue();
  /** A queue of its own: a begun request that waits for bytes must not stand behind one that waits to begin. */
  readonly #forBytes = requestQueue<BytesClaim>();
  #heldBytes = 0;

  /** A limit that is not given has its default. */
  constructor(limits: Partial<AdmissionLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Runs a request of the account, at once or when others of it are done. Rejects, as a failure,
   * if its client has gone while it waited.
   */
  run<T>(name: string, isDisconnected: IsDisconnected, act: () => Eventually<T>): Eventually<T> {
    const begun = this.#accounts.get(name)?.begun ?? 0;
    if (begun >= this.#limits.accountMaxBegun) {
      return new Promise<void>((resolve, reject) => {
        this.#beginning.add(name, { isDisconnected, resolve, reject });
      }).then(() => this.#inItsPlace(name, act));
    }
    const result = act();
    // Nothing could come between: a result that is there at once, or an error, needs no place.
    if (!(result instanceof Promise)) return result;
    this.#account(name).begun++;
    return result.finally(() => this.#end(name));
  }

  /**
   * Takes bytes for an account, at once or when others have given theirs back. `release` gives
   * them back. Rejects, as a failure, with nothing taken, if the client has gone while it waited.
   */
  acquire(name: string, bytes: number, isDisconnected: IsDisconnected): Eventually<void> {
    if (this.#forBytes.sizeOf(name) === 0 && this.#fits(name, bytes)) {
      this.#hold(name, bytes);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.#forBytes.add(name, { bytes, isDisconnected, resolve, reject });
    });
  }

  release(name: string, bytes: number): void {
    this.#hold(name, -bytes);
    while (this.#forBytes.size > 0) {
      let owner = name;
      const claim = this.#forBytes.take((waiting, account) => {
        owner = account;
        return this.#fits(account, waiting.bytes);
      });
      if (claim === undefined) return;
      this.#hold(owner, claim.bytes);
      claim.resolve();
    }
  }

  /** Runs a request that is counted already: it waited, and got the place of one that ended. */
  async #inItsPlace<T>(name: string, act: () => Eventually<T>): Promise<T> {
    try {
      return await act();
    } finally {
      this.#end(name);
    }
  }

  #end(name: string): void {
    const account = this.#account(name);
    const next = this.#beginning.takeOf(name);
    // The next one begins in its place, before another can come between.
    if (next !== undefined) next.resolve();
    else account.begun--;
    this.#forgetIdle(name, account);
  }

  #fits(name: string, bytes: number): boolean {
    const { accountMaxBytes, totalMaxBytes, ownShareBytes } = this.#limits;
    const held = (this.#accounts.get(name)?.heldBytes ?? 0) + bytes;
    if (held <= ownShareBytes) return true;
    return held <= accountMaxBytes && this.#heldBytes + bytes <= totalMaxBytes;
  }

  #hold(name: string, bytes: number): void {
    const account = this.#account(name);
    account.heldBytes += bytes;
    this.#heldBytes += bytes;
    this.#forgetIdle(name, account);
  }

  #forgetIdle(name: string, { begun, heldBytes }: Account): void {
    if (begun === 0 && heldBytes === 0) this.#accounts.delete(name);
  }

  #account(name: string): Account {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      account = { begun: 0, heldBytes: 0 };
      this.#accounts.set(name, account);
    }
    return account;
  }
}
