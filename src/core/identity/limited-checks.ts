// A bound on the provider's checks under way. A junk token costs a call to the
// provider like a good one: without a bound, a flood of junk tokens would keep the
// provider busy, and signed-in users would get no answer.

import { FairQueue } from '../admission/fair-queue.js';
import { IDENTITY_CACHE_MAX_ENTRIES, IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';
import { andThen, type Eventually } from '../eventually.js';
import {
  type From,
  type Identity,
  type IdentityProvider,
  UNAVAILABLE,
} from './identity-provider.js';

/** Checks under way of tokens that were good the last time. */
export const KNOWN_CHECKS_MAX = 192;
/** Checks under way of unknown tokens, which may be junk. */
export const UNKNOWN_CHECKS_MAX = 64;
/** Checks of one sender that wait; one more is answered `unavailable`. */
export const WAITING_CHECKS_MAX = 1_000;
/** The provider's time-out and one second more. An older check has lost its end and counts no longer. */
const CHECK_MAX_MS = IDENTITY_PROVIDER_TIMEOUT_MS + 1_000;

export interface LimitedChecksOptions {
  /** A token's hash, so that memory holds no usable token. */
  readonly digest: (token: string) => Eventually<string>;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
}

/**
 * Asks the provider for a limited number of tokens at a time. Tokens that were
 * good the last time, and all others, have a bound and a queue of their own: a
 * flood of junk takes no turn from those who are signed in. The senders of a queue
 * take turns: accounts that are known, and addresses for the others. A check that
 * waits longer than the provider's time-out, or finds `WAITING_CHECKS_MAX` of its
 * sender before it, is `unavailable`.
 */
export function limitedChecks(
  provider: IdentityProvider,
  { digest, clock = () => Date.now() }: LimitedChecksOptions,
): IdentityProvider {
  /** Accounts by the hash of a token that was good the last time, the longest unused first. */
  const good = new Map<string, string>();
  const known = new CheckQueue(KNOWN_CHECKS_MAX, clock);
  const unknown = new CheckQueue(UNKNOWN_CHECKS_MAX, clock);

  async function check(token: string, key: string, from: From | undefined): Promise<Identity> {
    const account = good.get(key);
    const ask = async () => provider.identify(token, from);
    const identity = await (account === undefined
      ? unknown.run(() => from?.() ?? '', ask)
      : known.run(() => account, ask));
    if (identity.status === 'identified') remember(key, identity.subject);
    else if (identity.status === 'invalid') good.delete(key);
    return identity;
  }

  function remember(key: string, account: string): void {
    good.delete(key);
    const [oldest] = good.keys();
    if (oldest !== undefined && good.size >= IDENTITY_CACHE_MAX_ENTRIES) good.delete(oldest);
    good.set(key, account);
  }

  return { identify: (token, from) => andThen(digest(token), (key) => check(token, key, from)) };
}

interface Waiting {
  readonly since: number;
  readonly begin: (turn: boolean) => void;
}

/** A bound on running checks, and a queue for waiting ones. */
class CheckQueue {
  readonly #max: number;
  readonly #clock: () => number;
  /** When each check under way began; one whose end was lost stops counting by its age. */
  readonly #underWay = new Map<symbol, number>();
  readonly #waiting = new FairQueue<Waiting>({
    isGone: ({ since }) => Math.abs(this.#clock() - since) >= IDENTITY_PROVIDER_TIMEOUT_MS,
    drop: ({ begin }) => begin(false),
  });

  constructor(max: number, clock: () => number) {
    this.#max = max;
    this.#clock = clock;
  }

  async run(sender: () => string, check: () => Promise<Identity>): Promise<Identity> {
    if (!this.#hasRoom() && !(await this.#turn(sender()))) return UNAVAILABLE;
    const mark = Symbol('check');
    this.#underWay.set(mark, this.#clock());
    try {
      return await check();
    } finally {
      this.#underWay.delete(mark);
      this.#waiting.dropGone();
      if (this.#hasRoom()) this.#waiting.take()?.begin(true);
    }
  }

  /** Resolves with whether the check may begin. */
  async #turn(sender: string): Promise<boolean> {
    if (this.#waiting.dropGoneOf(sender) >= WAITING_CHECKS_MAX) return false;
    return new Promise((begin) => this.#waiting.add(sender, { since: this.#clock(), begin }));
  }

  #hasRoom(): boolean {
    if (this.#underWay.size < this.#max) return true;
    const now = this.#clock();
    for (const [mark, since] of this.#underWay) {
      if (Math.abs(now - since) > CHECK_MAX_MS) this.#underWay.delete(mark);
    }
    return this.#underWay.size < this.#max;
  }
}
