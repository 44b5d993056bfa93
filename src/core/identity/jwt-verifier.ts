// The gate: a token must be a JWT that the provider signed for this service. So a foreign or forged
// token opens no account and costs the provider nothing.

import * as jose from 'jose';
import { isJsonObject } from '../domain/json.js';
import { member } from './claims.js';
import { DOCUMENT_TIMEOUT_MS, fetchJson, kept, type ProviderAccess } from './documents.js';
import { ProviderError } from './send.js';

/** Only algorithms with a private key: with a shared secret, every client could sign tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_SKEW_SECONDS = 30;
/**
 * Anyone can send a token with an unknown key, for which the keys are fetched again: at most this often.
 * After a rotation, a good token with the new key is refused for as long if a stranger's came first.
 */
const KEYS_AGE_MIN_MS = 5_000;

export interface JwtVerifierOptions extends ProviderAccess {
  /** The token must be for one of these. */
  readonly audiences: readonly string[];
  /** The token must be from this issuer; undefined: from anyone whose key is in the set. */
  readonly issuer: string | undefined;
  /** The address of the keys. */
  readonly url: () => Promise<string>;
}

/**
 * The token's claims, if signature, expiry, issuer and audience are right; otherwise, for the log, the
 * claim that isn't or jose's code. Rejects with a `ProviderError` if the keys can't be fetched.
 */
export type JwtVerifier = (token: string) => Promise<{ claims: unknown } | { refused: string }>;

export function jwtVerifier(options: JwtVerifierOptions): JwtVerifier {
  const { audiences, issuer, url, fetch, clock } = options;
  const keys = kept(async () => {
    const set = jose.createRemoteJWKSet(new URL(await url()), {
      // jose's own age would ask the provider at every request of an outage, and use no kept keys.
      cacheMaxAge: Infinity,
      cooldownDuration: KEYS_AGE_MIN_MS,
      timeoutDuration: DOCUMENT_TIMEOUT_MS,
      [jose.customFetch]: async (href, { signal }) =>
        Response.json(withKeys(await fetchJson('the key set', href, fetch, signal))),
    });
    await set.reload();
    return set;
  }, clock);
  return async (token) => {
    const set = await keys();
    const wanted: jose.JWTVerifyOptions = {
      algorithms: ALGORITHMS,
      audience: [...audiences],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(clock()),
      requiredClaims: ['exp'],
      ...(issuer !== undefined && { issuer }),
    };
    try {
      return { claims: (await jose.jwtVerify(token, set, wanted)).payload };
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      if (error instanceof jose.errors.JWTClaimValidationFailed) return { refused: error.claim };
      return { refused: error instanceof jose.errors.JOSEError ? error.code : 'unusable_token' };
    }
  };
}

function withKeys(json: unknown): unknown {
  const keys = member(json, 'keys');
  if (Array.isArray(keys) && keys.length > 0 && keys.every(isJsonObject)) return json;
  throw new ProviderError(
    'the key set holds no keys; have the provider sign with a key pair (RS256, ES256)',
  );
}
