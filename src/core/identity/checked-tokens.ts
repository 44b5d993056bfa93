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

/** Values that count for a time. When there are too many, the oldest goes first. */
export class Expiring<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly lifetime: Lifetime }>();

  get(key: string, now: number): T | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && lives(entry.lifetime, now) ? entry.value : undefined;
  }

  set(key: string, value: T, lifetime: Lifetime): void {
    this.#entries.delete(key);
    for (const [old, entry] of this.#entries) {
      const isFull = this.#entries.size >= IDENTITY_CACHE_MAX_ENTRIES;
      if (!isFull && lives(entry.lifetime, lifetime.since)) break;
      this.#entries.delete(old);
    }
    this.#entries.set(key, { value, lifetime });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}

/** Tokens of one account that are known, so that no account pushes out another's. */
export const TOKENS_OF_ACCOUNT_MAX = 8;

interface Good extends Lifetime {
  readonly identity: Extract<Identity, { status: 'identified' }>;
}

export class CheckedTokens {
  /** Good the last time, expired or not; the one that was checked longest ago first. */
  readonly #good = new Map<string, Good>();
  readonly #ofAccount = new Map<string, Set<string>>();
  /** Kept apart, so that made-up tokens do not push out good ones. */
  readonly #refused = new Expiring<Identity>();

  remembered(key: string, now: number): Identity | undefined {
    const good = this.#good.get(key);
    if (good === undefined) return this.#refused.get(key, now);
    return lives(good, now) ? good.identity : undefined;
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
    this.#refused.set(key, INVALID, lifetime);
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
