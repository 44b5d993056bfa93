// A bound on the provider's checks under way. A junk token costs a call to the
// provider like a good one: without a bound, a flood of junk tokens would keep the
// provider busy, and signed-in users would get no answer.

import { IDENTITY_CACHE_MAX_ENTRIES, IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';
import { andThen, type Eventually } from '../eventually.js';
import { type Identity, type IdentityProvider, UNAVAILABLE } from './identity-provider.js';

/** Checks under way of tokens that were good the last time. */
export const KNOWN_CHECKS_MAX = 192;
/** Checks under way of unknown tokens, which may be junk. */
export const UNKNOWN_CHECKS_MAX = 64;
/** Checks that wait, of each kind; one more is answered `unavailable`. */
export const WAITING_CHECKS_MAX = 1_000;
/** The provider's time-out and one second more. An older check has lost its end and counts no longer. */
const CHECK_MAX_MS = IDENTITY_PROVIDER_TIMEOUT_MS + 1_000;

export interface BoundedChecksOptions {
  /** A token's hash, so that memory holds no usable token. */
  readonly digest: (token: string) => Eventually<string>;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
}

/**
 * Asks the provider for a limited number of tokens at a time. Tokens that were
 * good the last time, and all others, have a bound and a queue of their own: a
 * flood of junk takes no turn from those who are signed in. Queues are served in
 * order; a check that waits longer than the provider's time-out, or finds its
 * queue full, is `unavailable`.
 */
export function boundedChecks(
  provider: IdentityProvider,
  { digest, clock = () => Date.now() }: BoundedChecksOptions,
): IdentityProvider {
  /** Hashes of tokens that were good the last time, the longest unused first. */
  const good = new Set<string>();
  const known = new Lane(KNOWN_CHECKS_MAX, WAITING_CHECKS_MAX, clock);
  const unknown = new Lane(UNKNOWN_CHECKS_MAX, WAITING_CHECKS_MAX, clock);

  async function check(token: string, key: string): Promise<Identity> {
    const lane = good.has(key) ? known : unknown;
    const identity = await lane.run(async () => provider.identify(token));
    if (identity.status === 'identified') remember(key);
    else if (identity.status === 'invalid') good.delete(key);
    return identity;
  }

  function remember(key: string): void {
    good.delete(key);
    const [oldest] = good;
    if (oldest !== undefined && good.size >= IDENTITY_CACHE_MAX_ENTRIES) good.delete(oldest);
    good.add(key);
  }

  return { identify: (token) => andThen(digest(token), (key) => check(token, key)) };
}

interface Waiting {
  readonly since: number;
  readonly begin: (turn: boolean) => void;
}

/** A bound on running checks, and a queue for waiting ones. */
class Lane {
  readonly #max: number;
  readonly #waitingMax: number;
  readonly #clock: () => number;
  /** When each check under way began; one whose end was lost stops counting by its age. */
  readonly #underWay = new Map<symbol, number>();
  readonly #waiting: Waiting[] = [];

  constructor(max: number, waitingMax: number, clock: () => number) {
    this.#max = max;
    this.#waitingMax = waitingMax;
    this.#clock = clock;
  }

  async run(check: () => Promise<Identity>): Promise<Identity> {
    if (!this.#hasRoom() && !(await this.#turn())) return UNAVAILABLE;
    const mark = Symbol('check');
    this.#underWay.set(mark, this.#clock());
    try {
      return await check();
    } finally {
      this.#underWay.delete(mark);
      this.#serve();
    }
  }

  /** Resolves with whether the check may begin. */
  async #turn(): Promise<boolean> {
    this.#dropLate();
    if (this.#waiting.length >= this.#waitingMax) return false;
    return new Promise((begin) => this.#waiting.push({ since: this.#clock(), begin }));
  }

  /** Answers the checks that have waited too long, then begins the next one. */
  #serve(): void {
    this.#dropLate();
    if (this.#hasRoom()) this.#waiting.shift()?.begin(true);
  }

  #dropLate(): void {
    const now = this.#clock();
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      if (Math.abs(now - first.since) < IDENTITY_PROVIDER_TIMEOUT_MS) return;
      this.#waiting.shift();
      first.begin(false);
    }
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
