// The times for which the provider asks not to be called (`Retry-After`). A 503 is about the
// provider. A 429 is about the token, or about this service: several accounts tell which.

import { retryAfterMs } from '../retry-after.js';
import { Expiring } from './checked-tokens.js';
import type { Exchange } from './exchange.js';

/** A provider, or a proxy before it, that asked for a year would lock everybody out. */
const RETRY_AFTER_MAX_SECONDS = 60;
/** With a 429 for this many accounts within a minute, it is about this service. */
export const ACCOUNTS_OF_ALL = 3;
const ACCOUNTS_WITHIN_MS = 60_000;

export class Pauses {
  /** The ends, by token; the one for all tokens is at ''. */
  readonly #ends = new Expiring();
  /** When an account had its last 429. */
  readonly #accounts = new Map<string, number>();

  /** Undefined if the provider may be asked. */
  secondsLeft(of: string, now: number): number | undefined {
    const end = Math.max(this.#ends.endOf('', now) ?? now, this.#ends.endOf(of, now) ?? now);
    return end > now ? Math.ceil((end - now) / 1000) : undefined;
  }

  /** Notes the answer's `Retry-After`. Returns its seconds, undefined if it has none. */
  note(exchange: Exchange, of: string, account: string, now: number): number | undefined {
    const { status, headers } = exchange;
    const isAsked = status === 429 || status === 503;
    const wait = isAsked ? (retryAfterMs(headers, now) ?? 0) : 0;
    if (wait === 0) return undefined;
    const seconds = Math.min(Math.ceil(wait / 1000), RETRY_AFTER_MAX_SECONDS);
    const untilMs = now + seconds * 1000;
    const isAboutAll = status === 503 || this.#isAboutAll(account, now);
    this.#ends.set(isAboutAll ? '' : of, { since: now, untilMs });
    return seconds;
  }

  #isAboutAll(account: string, now: number): boolean {
    for (const [other, at] of this.#accounts) {
      if (Math.abs(now - at) >= ACCOUNTS_WITHIN_MS) this.#accounts.delete(other);
    }
    // At the bound counting stops: everyone is paused already.
    if (this.#accounts.size < ACCOUNTS_OF_ALL) this.#accounts.set(account, now);
    return this.#accounts.size >= ACCOUNTS_OF_ALL;
  }
}
