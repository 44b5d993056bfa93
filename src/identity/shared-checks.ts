// Identical checks in flight are joined and, where the operator allows it,
// successful ones are remembered for a while. Failures never are.

import { IDENTITY_CACHE_MAX_ENTRIES } from '../domain/limits.js';
import type { Identity, IdentityProvider } from './identity-provider.js';

export interface SharedChecksOptions {
  /** How long a successful check is remembered, in seconds; 0: every request is checked. */
  readonly cacheSeconds: number;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
  /** A token's hash, so that memory holds no usable token. Default: SHA-256 by WebCrypto. */
  readonly digest?: (token: string) => string | Promise<string>;
}

interface Remembered {
  readonly identity: Identity;
  readonly expiresAt: number;
}

export function sharedChecks(
  provider: IdentityProvider,
  options: SharedChecksOptions,
): IdentityProvider {
  const { clock = Date.now, digest = sha256 } = options;
  const lifetimeMs = options.cacheSeconds * 1000;
  const inFlight = new Map<string, Promise<Identity>>();
  /** Oldest first, since a Map keeps the order of insertion. */
  const remembered = new Map<string, Remembered>();

  function check(token: string): Promise<Identity> {
    const joined = inFlight.get(token);
    if (joined !== undefined) return joined;
    const started = provider.identify(token).finally(() => inFlight.delete(token));
    inFlight.set(token, started);
    return started;
  }

  async function rememberedCheck(token: string): Promise<Identity> {
    const hashed = digest(token);
    const key = typeof hashed === 'string' ? hashed : await hashed;
    const now = clock();
    const known = remembered.get(key);
    if (known !== undefined && now < known.expiresAt) return known.identity;
    const identity = await check(token);
    remembered.delete(key);
    if (identity.status === 'identified') {
      // Counted from before the question, so that an answer is never believed for longer.
      remember(key, { identity, expiresAt: now + lifetimeMs });
    }
    return identity;
  }

  function remember(key: string, entry: Remembered): void {
    if (remembered.size >= IDENTITY_CACHE_MAX_ENTRIES) {
      const [oldest] = remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
    }
    remembered.set(key, entry);
  }

  return { identify: lifetimeMs > 0 ? rememberedCheck : check };
}

async function sha256(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
