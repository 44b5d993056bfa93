// The audience check: a token must be a JWT that the provider signed for this service. A token for another
// application, or a forged one, is refused without a request to the provider.

import * as jose from 'jose';
import { isJsonObject } from '../domain/json.js';
import { member } from './claims.js';
import {
  DOCUMENT_TIMEOUT_MS,
  fetchJson,
  type ProviderAccess,
  staleWhileRevalidate,
} from './documents.js';
import { ProviderError } from './send.js';

/** Only algorithms with a private key: with a shared secret, every client could sign tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_SKEW_SECONDS = 30;
/**
 * How often the keys are fetched again for a token with an unknown key, which anyone can send. If a junk
 * token comes first after a rotation, good tokens with the new key are refused for this long.
 */
const KEYS_AGE_MIN_MS = 5_000;

export interface JwtVerifierOptions extends ProviderAccess {
  /** The token must be for one of these. */
  readonly audiences: readonly string[];
  /** The token must be from this issuer; if undefined, from anyone whose key is in the set. */
  readonly issuer: string | undefined;
  /** The address of the keys. */
  readonly url: () => Promise<string>;
}

/**
 * The token's claims, if signature, expiry, issuer and audience are valid; otherwise, for the log, the
 * invalid claim or jose's code. Rejects with a `ProviderError` if the keys can't be fetched.
 */
export type JwtVerifier = (token: string) => Promise<{ claims: unknown } | { refused: string }>;

export function jwtVerifier(options: JwtVerifierOptions): JwtVerifier {
  const { audiences, issuer, url, fetch, clock } = options;
  const keys = staleWhileRevalidate(async () => {
    const set = jose.createRemoteJWKSet(new URL(await url()), {
      // With jose's own age, every request during an outage would fetch the keys, and cached keys would expire.
      cacheMaxAge: Infinity,
      cooldownDuration: KEYS_AGE_MIN_MS,
      timeoutDuration: DOCUMENT_TIMEOUT_MS,
      [jose.customFetch]: async (href, { signal }) =>
        Response.json(asKeySet(await fetchJson('the key set', href, fetch, signal))),
    });
    await set.reload();
    return set;
  }, clock);
  return async (token) => {
    const set = await keys();
    const expected: jose.JWTVerifyOptions = {
      algorithms: ALGORITHMS,
      audience: [...audiences],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(clock()),
      requiredClaims: ['exp'],
      ...(issuer !== undefined && { issuer }),
    };
    try {
      return { claims: (await jose.jwtVerify(token, set, expected)).payload };
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      if (error instanceof jose.errors.JWTClaimValidationFailed) return { refused: error.claim };
      return { refused: error instanceof jose.errors.JOSEError ? error.code : 'unusable_token' };
    }
  };
}

function asKeySet(json: unknown): unknown {
  const keys = member(json, 'keys');
  if (Array.isArray(keys) && keys.length > 0 && keys.every(isJsonObject)) return json;
  throw new ProviderError(
    'the key set holds no keys; have the provider sign with a key pair (RS256, ES256)',
  );
}
