// What is known of tokens, by their hashes: the account of a good one, how long its check is
// remembered, and that one was refused.

import { IDENTITY_CACHE_MAX_ENTRIES } from '../domain/limits.js';
import { type Identity, INVALID } from './identity-provider.js';

/** Milliseconds since 1970, UTC. */
interface Lifetime {
  readonly since: number;
  readonly untilMs: number;
}

/** False before its start, too: then the clock was set back. */
function lives({ since, untilMs }: Lifetime, now: number): boolean {
  return now >= since && now < untilMs;
}

/** Keys that count for a time. When there are too many, the oldest goes first. */
export class Expiring {
  readonly #lifetimes = new Map<string, Lifetime>();

  /** The end of a key's time; undefined if it does not count now. */
  endOf(key: string, now: number): number | undefined {
    const lifetime = this.#lifetimes.get(key);
    return lifetime !== undefined && lives(lifetime, now) ? lifetime.untilMs : undefined;
  }

  set(key: string, lifetime: Lifetime): void {
    this.#lifetimes.delete(key);
    for (const [old, one] of this.#lifetimes) {
      const isFull = this.#lifetimes.size >= IDENTITY_CACHE_MAX_ENTRIES;
      if (!isFull && lives(one, lifetime.since)) break;
      this.#lifetimes.delete(old);
    }
    this.#lifetimes.set(key, lifetime);
  }

  delete(key: string): void {
    this.#lifetimes.delete(key);
  }
}

/** Tokens of one account that are known, so that no account pushes out another's. */
export const TOKENS_OF_ACCOUNT_MAX = 8;

type Good = Lifetime & { readonly identity: Extract<Identity, { status: 'identified' }> };

export class CheckedTokens {
  /** Good the last time, expired or not; the one that was checked longest ago first. */
  readonly #good = new Map<string, Good>();
  readonly #ofAccount = new Map<string, Set<string>>();
  /** Kept apart, so that made-up tokens do not push out good ones. */
  readonly #refused = new Expiring();

  remembered(key: string, now: number): Identity | undefined {
    const good = this.#good.get(key);
    if (good !== undefined) return lives(good, now) ? good.identity : undefined;
    return this.#refused.endOf(key, now) === undefined ? undefined : INVALID;
  }

  /** The account that a token was good for the last time. */
  accountOf(key: string): string | undefined {
    return this.#good.get(key)?.identity.subject;
  }

  good(key: string, subject: string, lifetime: Lifetime): Identity {
    this.#forget(key);
    const keys = this.#ofAccount.get(subject) ?? new Set();
    const [oldestOfAccount] = keys;
    const [oldest] = this.#good.keys();
    if (keys.size >= TOKENS_OF_ACCOUNT_MAX) this.#forget(oldestOfAccount);
    else if (this.#good.size >= IDENTITY_CACHE_MAX_ENTRIES) this.#forget(oldest);
    const identity = { status: 'identified', subject } as const;
    this.#good.set(key, { identity, ...lifetime });
    this.#ofAccount.set(subject, keys.add(key));
    return identity;
  }

  refused(key: string, lifetime: Lifetime): void {
    this.#forget(key);
    this.#refused.set(key, lifetime);
  }

  #forget(key = ''): void {
    this.#refused.delete(key);
    const account = this.accountOf(key);
    if (account === undefined) return;
    this.#good.delete(key);
    const keys = this.#ofAccount.get(account);
    keys?.delete(key);
    if (keys?.size === 0) this.#ofAccount.delete(account);
  }
}
