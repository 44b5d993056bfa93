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
function lives(lifetime: Lifetime | undefined, now: number): boolean {
  return lifetime !== undefined && now >= lifetime.since && now < lifetime.untilMs;
}

/** Tokens of one account that are known, so that no account pushes out another's. */
const TOKENS_OF_ACCOUNT_MAX = 8;

type Good = Lifetime & { readonly identity: Extract<Identity, { status: 'identified' }> };

export class CheckedTokens {
  /** Good the last time, expired or not; the one that was checked longest ago first. */
  readonly #good = new Map<string, Good>();
  readonly #ofAccount = new Map<string, Set<string>>();
  /** Kept apart, so that made-up tokens do not push out good ones; the oldest first. */
  readonly #refused = new Map<string, Lifetime>();

  remembered(key: string, now: number): Identity | undefined {
    const good = this.#good.get(key);
    if (good !== undefined) return lives(good, now) ? good.identity : undefined;
    return lives(this.#refused.get(key), now) ? INVALID : undefined;
  }

  /** Whether the token was good the last time. */
  isKnown(key: string): boolean {
    return this.#good.has(key);
  }

  good(key: string, subject: string, lifetime: Lifetime): Identity {
    this.#forget(key);
    const keys = this.#ofAccount.get(subject) ?? new Set();
    if (keys.size >= TOKENS_OF_ACCOUNT_MAX) this.#forget(oldest(keys));
    else if (this.#good.size >= IDENTITY_CACHE_MAX_ENTRIES) this.#forget(oldest(this.#good.keys()));
    const identity = { status: 'identified', subject } as const;
    this.#good.set(key, { identity, ...lifetime });
    this.#ofAccount.set(subject, keys.add(key));
    return identity;
  }

  refused(key: string, lifetime: Lifetime): void {
    this.#forget(key);
    if (this.#refused.size >= IDENTITY_CACHE_MAX_ENTRIES) {
      this.#refused.delete(oldest(this.#refused.keys()));
    }
    this.#refused.set(key, lifetime);
  }

  #forget(key: string): void {
    this.#refused.delete(key);
    const account = this.#good.get(key)?.identity.subject ?? '';
    this.#good.delete(key);
    const keys = this.#ofAccount.get(account);
    keys?.delete(key);
    if (keys?.size === 0) this.#ofAccount.delete(account);
  }
}

/** The first that was added. */
function oldest([first = '']: Iterable<string>): string {
  return first;
}
