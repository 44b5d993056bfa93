// The provider's documents: its endpoints (discovery) and its keys. The last valid one stays in use
// until a newer one is fetched.

import { member } from './claims.js';
import { ProviderError, readJson, reasonOf, type Send } from './send.js';

/** A key set of 50 MB took 283 MB of memory. */
const DOCUMENT_MAX_BYTES = 262_144;
/** Leaves a second of the check's four for the user-information request. */
export const DOCUMENT_TIMEOUT_MS = 3_000;
const RELOAD_INTERVAL_MS = 600_000;

export interface ProviderAccess {
  readonly fetch: Send;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

/**
 * Loads at the first call, and again every ten minutes. Callers don't wait for a reload: they get the last
 * loaded value until the next one replaces it. Rejects if nothing was loaded yet.
 */
export function staleWhileRevalidate<T>(load: () => Promise<T>, clock: () => number) {
  let current: Promise<T> | undefined;
  let triedAt = 0;
  return () => {
    // The absolute difference, so that a clock that was set back doesn't delay the reload.
    if (current !== undefined && Math.abs(clock() - triedAt) < RELOAD_INTERVAL_MS) return current;
    triedAt = clock();
    const loading = load();
    current ??= loading;
    loading.then(
      () => {
        current = loading;
      },
      () => {
        if (current === loading) current = undefined;
      },
    );
    return current;
  };
}

/** Rejects with a `ProviderError` that names the document. */
export async function fetchJson(name: string, url: string, fetch: Send, signal: AbortSignal) {
  try {
    const headers = { accept: 'application/json' };
    const { status, body } = await fetch(url, { headers, redirect: 'manual', signal });
    if (status !== 200) throw new ProviderError(`status ${status}`);
    return await readJson(body, DOCUMENT_MAX_BYTES);
  } catch (error) {
    throw new ProviderError(`could not fetch ${name}: ${reasonOf(error)}`);
  }
}

const REMEDIES = {
  userinfo_endpoint:
    'set AUTH_USERINFO_URL, or AUTH_USERINFO=off with AUTH_AUDIENCE if this provider only issues JWTs',
  jwks_uri: 'set AUTH_JWKS_URL to the URL of the JSON Web Key Set',
};

/**
 * The addresses in the issuer's discovery document (OpenID Connect Discovery 1.0, section 4). Each
 * rejects with a `ProviderError` if the document can't be fetched or names no usable one.
 */
export function discovery(issuer: string | undefined, { fetch, clock }: ProviderAccess) {
  const document = staleWhileRevalidate(async () => {
    if (issuer === undefined) return undefined;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const signal = AbortSignal.timeout(DOCUMENT_TIMEOUT_MS);
    const json = await fetchJson('the discovery document', url, fetch, signal);
    const found = member(json, 'issuer');
    // "MUST exactly match", or one provider could impersonate another.
    if (found === issuer) return json;
    const shown = typeof found === 'string' ? JSON.stringify(found.slice(0, 200)) : 'no issuer';
    throw new ProviderError(
      `the discovery document names ${shown}; set AUTH_ISSUER to the issuer that it names`,
    );
  }, clock);
  return async (endpoint: keyof typeof REMEDIES): Promise<string> => {
    const url = member(await document(), endpoint);
    if (issuer !== undefined && isSafeUrl(url, issuer)) return url;
    throw new ProviderError(
      `the discovery document names no usable ${endpoint}; ${REMEDIES[endpoint]}`,
    );
  };
}

/** HTTPS, or the protocol and host of the issuer, which may be plain HTTP on loopback only. */
function isSafeUrl(value: unknown, issuer: string): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  const own = new URL(issuer);
  return protocol === 'https:' || (protocol === own.protocol && hostname === own.hostname);
}
