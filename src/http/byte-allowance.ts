// How many bytes of requests and answers are held at once, for each account and in all.
// Above the limit the next body is not read, and the next piece of an answer is not made,
// until others are done.

import type { Eventually } from '../eventually.js';

/** For one account: sixteen bodies of the largest size. */
const ACCOUNT_MAX_BYTES = 16 * 1_048_576;
/** For all accounts together, in addition to each account's own share. */
const TOTAL_MAX_BYTES = 64 * 1_048_576;
/**
 * This share is always free for each account, even if the others hold everything else: one
 * body of the largest size and one long answer.
 */
const OWN_SHARE_BYTES = 1_048_576 + 393_216;

export interface AllowanceLimits {
  readonly accountMaxBytes: number;
  readonly totalMaxBytes: number;
  readonly ownShareBytes: number;
}

const DEFAULT_LIMITS: AllowanceLimits = {
  accountMaxBytes: ACCOUNT_MAX_BYTES,
  totalMaxBytes: TOTAL_MAX_BYTES,
  ownShareBytes: OWN_SHARE_BYTES,
};

/** No limit, for a host on which one request must not wait for another. */
export const UNLIMITED: AllowanceLimits = {
  accountMaxBytes: Number.POSITIVE_INFINITY,
  totalMaxBytes: Number.POSITIVE_INFINITY,
  ownShareBytes: 0,
};

/** Clients that have gone are looked for when so many claims of an account wait, and at each doubling of that. */
const SWEPT_CLAIMS_MIN = 32;

interface Claim {
  readonly bytes: number;
  readonly hasGone: () => boolean;
  readonly settle: (isHeld: boolean) => void;
}

interface Account {
  heldBytes: number;
  /** Oldest first. */
  waiting: Claim[];
  /** The number of waiting claims at which the next sweep is due. */
  sweptAt: number;
}

export class ByteAllowance {
  readonly #limits: AllowanceLimits;
  /** Every account that holds bytes or waits. */
  readonly #accounts = new Map<string, Account>();
  /** Accounts with a waiting claim, in rotation. */
  readonly #waiting = new Set<string>();
  #heldBytes = 0;

  constructor(limits: AllowanceLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Takes bytes for an account, at once or when others have given theirs back. `give` gives
   * them back. False, with nothing taken, if the client has gone while it waited.
   */
  take(name: string, bytes: number, hasGone: () => boolean): Eventually<boolean> {
    const account = this.#account(name);
    if (account.waiting.length === 0 && this.#fits(account, bytes)) {
      this.#hold(account, bytes);
      return true;
    }
    return new Promise((settle) => {
      account.waiting.push({ bytes, hasGone, settle });
      this.#waiting.add(name);
      if (account.waiting.length >= account.sweptAt) this.#sweep(account);
    });
  }

  give(name: string, bytes: number): void {
    const account = this.#account(name);
    this.#hold(account, -bytes);
    this.#forgetIdle(name, account);
    if (this.#waiting.size > 0) this.#grant();
  }

  /** Releases the requests of clients that have gone, which would otherwise fill the memory until their turn. */
  #sweep(account: Account): void {
    const staying: Claim[] = [];
    for (const claim of account.waiting) {
      if (claim.hasGone()) claim.settle(false);
      else staying.push(claim);
    }
    account.waiting = staying;
    account.sweptAt = Math.max(SWEPT_CLAIMS_MIN, 2 * staying.length);
  }

  /** One claim of each waiting account in rotation, as long as one of them fits. */
  #grant(): void {
    for (let granted = true; granted; ) {
      granted = false;
      for (const name of [...this.#waiting]) {
        const account = this.#account(name);
        while (account.waiting[0]?.hasGone()) account.waiting.shift()?.settle(false);
        const [claim] = account.waiting;
        if (claim === undefined) {
          this.#waiting.delete(name);
          this.#forgetIdle(name, account);
          continue;
        }
        if (!this.#fits(account, claim.bytes)) continue;
        account.waiting.shift();
        this.#waiting.delete(name);
        // The account moves to the end of the rotation.
        if (account.waiting.length > 0) this.#waiting.add(name);
        this.#hold(account, claim.bytes);
        claim.settle(true);
        granted = true;
      }
    }
  }

  #fits({ heldBytes }: Account, bytes: number): boolean {
    const { accountMaxBytes, totalMaxBytes, ownShareBytes } = this.#limits;
    if (heldBytes + bytes <= ownShareBytes) return true;
    return heldBytes + bytes <= accountMaxBytes && this.#heldBytes + bytes <= totalMaxBytes;
  }

  #hold(account: Account, bytes: number): void {
    account.heldBytes += bytes;
    this.#heldBytes += bytes;
  }

  /** An account that holds nothing and waits for nothing. */
  #forgetIdle(name: string, { heldBytes, waiting }: Account): void {
    if (heldBytes === 0 && waiting.length === 0) this.#accounts.delete(name);
  }

  #account(name: string): Account {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      account = { heldBytes: 0, waiting: [], sweptAt: SWEPT_CLAIMS_MIN };
      this.#accounts.set(name, account);
    }
    return account;
  }
}
