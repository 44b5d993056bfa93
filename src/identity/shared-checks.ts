// Identical checks in flight are joined and, where the operator allows it,
// successful ones are remembered for a while. Failures never are.

import { IDENTITY_CACHE_MAX_ENTRIES, IDENTITY_PROVIDER_TIMEOUT_MS } from '../domain/limits.js';
import { andThen, type Eventually } from '../eventually.js';
import type { Identity, IdentityProvider } from './identity-provider.js';

export interface SharedChecksOptions {
  /** How long a successful check is remembered, in seconds; 0: every request is checked. */
  readonly cacheSeconds: number;
  /** Whether identical checks in flight are joined; default true. Not where one request may not wait for another's exchange. */
  readonly joined?: boolean;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
  /** A token's hash, so that memory holds no usable token. Default: SHA-256 by WebCrypto. */
  readonly digest?: (token: string) => Eventually<string>;
}

/** Times count from before the question, so that an answer is never believed for longer. */
interface Check {
  readonly askedAt: number;
  readonly identity: Promise<Identity>;
}

interface Remembered {
  readonly askedAt: number;
  readonly identity: Identity;
}

export function sharedChecks(
  provider: IdentityProvider,
  options: SharedChecksOptions,
): IdentityProvider {
  const { clock = Date.now, digest = sha256, joined: joins = true } = options;
  const lifetimeMs = options.cacheSeconds * 1000;
  const inFlight = new Map<string, Check>();
  /** Oldest first, since a Map keeps the order of insertion. */
  const remembered = new Map<string, Remembered>();

  function check(token: string, now: number): Check {
    const joined = joins ? inFlight.get(token) : undefined;
    // One that is older lost its answer: a platform may end the request that asked.
    if (joined && isYoungerThan(IDENTITY_PROVIDER_TIMEOUT_MS, joined.askedAt, now)) return joined;
    const identity = Promise.resolve(provider.identify(token)).finally(() => {
      if (inFlight.get(token) === started) inFlight.delete(token);
    });
    const started: Check = { askedAt: now, identity };
    inFlight.set(token, started);
    return started;
  }

  function rememberedCheck(token: string): Eventually<Identity> {
    return andThen(digest(token), (key) => {
      const now = clock();
      const known = remembered.get(key);
      if (known && isYoungerThan(lifetimeMs, known.askedAt, now)) return known.identity;
      remembered.delete(key);
      return rememberingCheck(token, key, now);
    });
  }

  async function rememberingCheck(token: string, key: string, now: number): Promise<Identity> {
    const { askedAt, identity: answer } = check(token, now);
    const identity = await answer;
    if (identity.status === 'identified') remember(key, { askedAt, identity });
    return identity;
  }

  function remember(key: string, entry: Remembered): void {
    // Everyone who joined the check remembers it: only the first needs room.
    if (!remembered.has(key) && remembered.size >= IDENTITY_CACHE_MAX_ENTRIES) {
      const [oldest] = remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
    }
    remembered.set(key, entry);
  }

  return {
    identify: (token) => (lifetimeMs > 0 ? rememberedCheck(token) : check(token, clock()).identity),
  };
}

/** A clock that was set back makes nothing younger. */
function isYoungerThan(ageMs: number, askedAt: number, now: number): boolean {
  return now >= askedAt && now - askedAt < ageMs;
}

async function sha256(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
