// What is known of tokens, by their hashes: the account of a good one, how long its check is
// remembered, and that one was refused.

import { IDENTITY_CACHE_MAX_ENTRIES } from '../domain/limits.js';
import type { Identity } from './identity-provider.js';

/** Milliseconds since 1970, UTC. Not before its start, either: then the clock was set back. */
interface Known {
  readonly identity: Identity;
  readonly since: number;
  readonly untilMs: number;
}

export class CheckedTokens {
  /** Good the last time, expired or not; the one that was checked longest ago first. */
  readonly #good = new Map<string, Known>();
  /** Kept apart, so that made-up tokens do not push out good ones. */
  readonly #refused = new Map<string, Known>();

  remembered(key: string, now: number): Identity | undefined {
    const known = this.#good.get(key) ?? this.#refused.get(key);
    return known && now >= known.since && now < known.untilMs ? known.identity : undefined;
  }

  /** Whether the token was good the last time. */
  isKnown(key: string): boolean {
    return this.#good.has(key);
  }

  add(key: string, known: Known): Identity {
    const isGood = known.identity.status === 'identified';
    const tokens = isGood ? this.#good : this.#refused;
    this.#good.delete(key);
    this.#refused.delete(key);
    if (tokens.size >= IDENTITY_CACHE_MAX_ENTRIES) {
      const [oldest = ''] = tokens.keys();
      tokens.delete(oldest);
    }
    tokens.set(key, known);
    return known.identity;
  }
}
