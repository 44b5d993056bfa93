// Identical checks in flight are joined. Where the operator allows it, a successful
// one is remembered, never longer than its token lives; a refused token is remembered
// for 2 s, so that repeating it does not load the provider.

import { IDENTITY_CACHE_MAX_ENTRIES, IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';
import { andThen, type Eventually } from '../eventually.js';
import type { From, Identity, IdentityProvider } from './identity-provider.js';
import { unverifiedExpiry } from './token-claims.js';

export interface CachedChecksOptions {
  /** How long a successful check is remembered, in seconds; 0: every request is checked. */
  readonly cacheSeconds: number;
  /**
   * Whether identical checks in flight are joined; default true. False where one request
   * may not wait for another's exchange.
   */
  readonly joined?: boolean;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
  /** A token's hash, so that memory holds no usable token. Default: SHA-256 by WebCrypto. */
  readonly digest?: (token: string) => Eventually<string>;
  /** Called for each check that another one under way, or an earlier one, answers. */
  readonly shared?: (how: 'joined' | 'remembered') => void;
}

const REFUSAL_LIFETIME_MS = 2_000;

/** Times count from before the question, so that an answer is never trusted for too long. */
interface Check {
  readonly askedAt: number;
  readonly identity: Promise<Identity>;
}

export function cachedChecks(
  provider: IdentityProvider,
  options: CachedChecksOptions,
): IdentityProvider {
  const { clock = Date.now, digest = sha256, joined: joins = true, shared = () => {} } = options;
  const lifetimeMs = options.cacheSeconds * 1000;
  const inFlight = new Map<string, Check>();
  const successes = new Memory();
  // Kept apart, so that made-up tokens do not push out successful checks.
  const refusals = new Memory();

  function check(token: string, from: From | undefined, now: number): Check {
    const joined = joins ? inFlight.get(token) : undefined;
    // An older check has lost its answer: the platform may have ended the request that asked.
    if (joined && isYoungerThan(IDENTITY_PROVIDER_TIMEOUT_MS, joined.askedAt, now)) {
      shared('joined');
      return joined;
    }
    const identity = Promise.resolve(provider.identify(token, from)).finally(() => {
      if (inFlight.get(token) === started) inFlight.delete(token);
    });
    const started: Check = { askedAt: now, identity };
    inFlight.set(token, started);
    return started;
  }

  function identify(token: string, from?: From): Eventually<Identity> {
    refusals.forget(clock());
    // Nothing is remembered, so no hash is needed: it would cost more than the rest of the request.
    if (lifetimeMs === 0 && refusals.isEmpty) return rememberingCheck(token, from, clock());
    return andThen(digest(token), (key) => {
      const now = clock();
      const known = successes.get(key, now) ?? refusals.get(key, now);
      if (known === undefined) return rememberingCheck(token, from, now, key);
      shared('remembered');
      return known;
    });
  }

  async function rememberingCheck(
    token: string,
    from: From | undefined,
    now: number,
    key?: string,
  ): Promise<Identity> {
    const { askedAt, identity: answer } = check(token, from, now);
    const identity = await answer;
    if (identity.status === 'invalid') {
      const entry = { identity, since: askedAt, untilMs: askedAt + REFUSAL_LIFETIME_MS };
      refusals.set(key ?? (await digest(token)), entry);
    } else if (identity.status === 'identified' && lifetimeMs > 0) {
      const ends = [identity.expiresAt, unverifiedExpiry(token), askedAt + lifetimeMs];
      const untilMs = Math.min(...ends.filter((end) => end !== undefined));
      successes.set(key ?? (await digest(token)), { identity, since: askedAt, untilMs });
    }
    return identity;
  }

  return { identify };
}

interface Remembered {
  readonly identity: Identity;
  readonly since: number;
  readonly untilMs: number;
}

/** Identities by a token's hash, each until its time is over. */
class Memory {
  /** Oldest first, since a Map keeps the order of insertion. */
  readonly #entries = new Map<string, Remembered>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  get(key: string, now: number): Identity | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (isValid(entry, now)) return entry.identity;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, entry: Remembered): void {
    // Every caller that joined the check stores its result; only the first one needs room.
    if (!this.#entries.has(key) && this.#entries.size >= IDENTITY_CACHE_MAX_ENTRIES) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, entry);
  }

  /** Lets go of the oldest entries whose time is over. */
  forget(now: number): void {
    for (const [key, entry] of this.#entries) {
      if (isValid(entry, now)) return;
      this.#entries.delete(key);
    }
  }
}

/** False where `since` is in the future: then the clock was set back. */
function isValid({ since, untilMs }: Remembered, now: number): boolean {
  return now >= since && now < untilMs;
}

function isYoungerThan(ageMs: number, askedAt: number, now: number): boolean {
  return now >= askedAt && now - askedAt < ageMs;
}

/** The default hash of a token, by WebCrypto. */
export async function sha256(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
