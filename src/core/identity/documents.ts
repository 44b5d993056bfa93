// The provider's documents: its endpoints (discovery) and its keys. A good one is kept for as long
// as no newer one can be fetched.

import * as jose from 'jose';
import { boundedBody } from '../bounded-body.js';
import { isJsonObject } from '../domain/json.js';
import { networkCode, type Send } from './send.js';
import { parsed } from './userinfo.js';

/** A key set of 50 MB took 283 MB of memory. */
const DOCUMENT_MAX_BYTES = 262_144;
/** Leaves a second of the check's four for the question itself. */
const DOCUMENT_TIMEOUT_MS = 3_000;
const RELOAD_INTERVAL_MS = 600_000;
/**
 * Anyone can send a token with an unknown key, for which the keys are fetched again: at most this often.
 * After a rotation, a good token with the new key is refused for as long if a stranger's came first.
 */
const KEYS_AGE_MIN_MS = 5_000;

/** Rejects with a `DocumentError`. */
export type Address = () => Promise<string>;

export interface DocumentSource {
  readonly fetch: Send;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** Whether callers share one fetch; not if the platform ties an exchange to one request. */
  readonly joined: boolean;
}

/** Why a document can't be used, and what the operator can do, without a secret. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/**
 * Loads at the first call, and every ten minutes. One call waits for a reload; if it fails, the
 * last good value stays. Rejects if nothing was loaded yet.
 */
function kept<T>(load: () => Promise<T>, { clock, joined }: DocumentSource): () => Promise<T> {
  let good: { readonly value: T } | undefined;
  let triedAt = 0;
  let loading: Promise<T> | undefined;
  const reload = async () => {
    triedAt = clock();
    try {
      good = { value: await load() };
    } catch (error) {
      if (good === undefined) throw error;
    } finally {
      loading = undefined;
    }
    return good.value;
  };
  return async () => {
    // The absolute difference, so that a clock that was set back doesn't put the reload off.
    const isDue = Math.abs(clock() - triedAt) >= RELOAD_INTERVAL_MS;
    if (good !== undefined && !isDue) return good.value;
    if (!joined) return reload();
    loading ??= reload();
    return loading;
  };
}

/** Rejects with a `DocumentError` that calls the document by its name. */
async function fetchJson(name: string, url: string, fetch: Send, signal: AbortSignal) {
  const problem = (reason: string) => new DocumentError(`could not fetch ${name}: ${reason}`);
  try {
    const headers = { accept: 'application/json' };
    const { status, body } = await fetch(url, { headers, redirect: 'manual', signal });
    if (status !== 200) throw problem(`status ${status}`);
    const bytes = await boundedBody(body, DOCUMENT_MAX_BYTES);
    if (bytes === undefined) throw problem(`over ${DOCUMENT_MAX_BYTES} bytes`);
    return parsed(bytes);
  } catch (error) {
    throw error instanceof DocumentError ? error : problem(networkCode(error));
  }
}

/** Finds the key of a token, for `jose.jwtVerify`. In the package's declarations, so without jose's types. */
export type KeySet = (
  header: { readonly alg: string },
  token: { readonly payload: string | Uint8Array; readonly signature: string },
) => Promise<CryptoKey>;

/** Rejects with a `DocumentError`. */
export function remoteKeys(url: Address, source: DocumentSource): () => Promise<KeySet> {
  const load = async () => {
    const keys = jose.createRemoteJWKSet(new URL(await url()), {
      // jose's own age would ask the provider at every request of an outage, and use no kept keys.
      cacheMaxAge: Infinity,
      cooldownDuration: KEYS_AGE_MIN_MS,
      timeoutDuration: DOCUMENT_TIMEOUT_MS,
      [jose.customFetch]: async (href, { signal }) => {
        const json = await fetchJson('the key set', href, source.fetch, signal);
        return Response.json(withKeys(json));
      },
    });
    await keys.reload();
    return keys;
  };
  return kept(load, source);
}

function withKeys(json: unknown): unknown {
  const keys = isJsonObject(json) ? json['keys'] : undefined;
  if (Array.isArray(keys) && keys.length > 0 && keys.every(isJsonObject)) return json;
  throw new DocumentError(
    'the key set holds no keys; have the provider sign with a key pair (RS256, ES256)',
  );
}

const REMEDIES = {
  userinfo_endpoint:
    'set AUTH_USERINFO_URL, or AUTH_USERINFO=off with AUTH_AUDIENCE if this provider only issues JWTs',
  jwks_uri: 'set AUTH_JWKS_URL to the address of the keys',
};
type Endpoint = keyof typeof REMEDIES;
/** Its usable addresses. */
type Metadata = Readonly<Record<Endpoint, string | undefined>>;

/** The discovery document (OpenID Connect Discovery 1.0, section 4): where user information and keys are. */
export function discovery(issuer: string, source: DocumentSource): () => Promise<Metadata> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return kept(async () => {
    const signal = AbortSignal.timeout(DOCUMENT_TIMEOUT_MS);
    return metadataOf(await fetchJson('the discovery document', url, source.fetch, signal), issuer);
  }, source);
}

/** The address that is set, or else the one in the discovery document. */
export function addressOf(
  endpoint: Endpoint,
  set: string | undefined,
  metadata: (() => Promise<Metadata>) | undefined,
): Address {
  return async () => {
    const url = set ?? (await metadata?.())?.[endpoint];
    if (url !== undefined) return url;
    throw new DocumentError(
      `the discovery document names no usable ${endpoint}; ${REMEDIES[endpoint]}`,
    );
  };
}

function metadataOf(json: unknown, issuer: string): Metadata {
  if (!isJsonObject(json) || typeof json['issuer'] !== 'string') {
    throw new DocumentError('the discovery document is not JSON with an issuer; check AUTH_ISSUER');
  }
  // "MUST exactly match": else one provider could speak for another.
  if (json['issuer'] !== issuer) {
    const other = JSON.stringify(json['issuer'].slice(0, 200));
    throw new DocumentError(
      `the discovery document names another issuer; set AUTH_ISSUER to ${other}`,
    );
  }
  return {
    userinfo_endpoint: safeUrl(json['userinfo_endpoint'], issuer),
    jwks_uri: safeUrl(json['jwks_uri'], issuer),
  };
}

/** A token never goes over a plain connection, whatever the document says; on loopback the issuer itself is plain. */
function safeUrl(value: unknown, issuer: string): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.protocol === 'https:') return url.href;
  const isPlainToo = url.protocol === 'http:' && new URL(issuer).protocol === 'http:';
  return isPlainToo && url.hostname === new URL(issuer).hostname ? url.href : undefined;
}
