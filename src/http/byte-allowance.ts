// How many bytes of requests and answers are held at once, for each account and in all.
// Above the limit the next body is not read, and the next piece of an answer is not made,
// until others are done.

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

interface Claim {
  readonly bytes: number;
  readonly granted: () => void;
}

interface Account {
  heldBytes: number;
  /** Oldest first. */
  readonly waiting: Claim[];
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
   * Takes bytes for an account. Returns undefined if they are granted at once, else a promise.
   * `give` gives them back.
   */
  take(name: string, bytes: number): Promise<void> | undefined {
    const account = this.#account(name);
    if (account.waiting.length === 0 && this.#fits(account, bytes)) {
      this.#hold(account, bytes);
      return undefined;
    }
    return new Promise((granted) => {
      account.waiting.push({ bytes, granted });
      this.#waiting.add(name);
    });
  }

  give(name: string, bytes: number): void {
    const account = this.#account(name);
    this.#hold(account, -bytes);
    if (account.heldBytes === 0 && account.waiting.length === 0) this.#accounts.delete(name);
    if (this.#waiting.size > 0) this.#grant();
  }

  /** Grants one claim of each waiting account in rotation, as long as a claim fits. */
  #grant(): void {
    for (let granted = true; granted; ) {
      granted = false;
      for (const name of [...this.#waiting]) {
        const account = this.#account(name);
        const [claim] = account.waiting;
        if (claim === undefined || !this.#fits(account, claim.bytes)) continue;
        account.waiting.shift();
        this.#waiting.delete(name);
        // The account moves to the end of the rotation.
        if (account.waiting.length > 0) this.#waiting.add(name);
        this.#hold(account, claim.bytes);
        claim.granted();
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

  #account(name: string): Account {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      account = { heldBytes: 0, waiting: [] };
      this.#accounts.set(name, account);
    }
    return account;
  }
}
