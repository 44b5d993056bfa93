// The gate: a token must be a JWT that the provider signed for this service. So a foreign or forged
// token opens no account and costs the provider nothing.

import * as jose from 'jose';
import { isJsonObject } from '../domain/json.js';
import type { Claims } from './claims.js';
import { type Address, CachedDocument, DocumentError, type DocumentSource } from './documents.js';

/** Only algorithms with a private key: with a shared secret, every client could sign tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_SKEW_SECONDS = 30;
/** Anyone can send a token with an unknown key, for which the keys are fetched again: at most this often. */
const KEYS_AGE_MIN_MS = 30_000;

export interface JwtVerifierOptions extends DocumentSource {
  /** The token must be for one of these. */
  readonly audiences: readonly string[];
  /** The token must be from this issuer; undefined: from anyone whose key is in the set. */
  readonly issuer: string | undefined;
  /** Where the keys are. */
  readonly url: Address;
}

export type JwtVerifier = ReturnType<typeof jwtVerifier>;

type JwtVerdict = { readonly claims: Claims } | { readonly refused: string };
type KeyChoice = ReturnType<typeof jose.createLocalJWKSet>;

export function jwtVerifier(options: JwtVerifierOptions) {
  const { audiences, issuer, clock } = options;
  const keys = new CachedDocument({ ...options, name: 'the key set', read: keySet });

  async function verify(token: string, key: KeyChoice): Promise<Claims> {
    const wanted: jose.JWTVerifyOptions = {
      algorithms: ALGORITHMS,
      audience: [...audiences],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(clock()),
      requiredClaims: ['exp'],
      ...(issuer !== undefined && { issuer }),
    };
    return (await jose.jwtVerify(token, key, wanted)).payload;
  }

  return {
    /**
     * The token's claims, if signature, expiry, issuer and audience are right; otherwise a word for
     * the log. Rejects with a `DocumentError` if the keys can't be fetched.
     */
    async check(token: string, signal: AbortSignal): Promise<JwtVerdict> {
      try {
        const claims = await verify(token, await keys.get(signal)).catch(async (error) => {
          if (!(error instanceof jose.errors.JWKSNoMatchingKey)) throw error;
          return verify(token, await keys.get(signal, KEYS_AGE_MIN_MS));
        });
        return { claims };
      } catch (error) {
        if (error instanceof DocumentError) throw error;
        return { refused: reasonOf(error) };
      }
    },
    /** Fetches the keys, if they are not there yet. Rejects with a `DocumentError`. */
    ready: (signal: AbortSignal): Promise<unknown> => keys.get(signal),
  };
}

function keySet(json: unknown): KeyChoice {
  if (isJsonObject(json) && Array.isArray(json['keys']) && json['keys'].length > 0) {
    try {
      return jose.createLocalJWKSet(json as unknown as jose.JSONWebKeySet);
    } catch {
      // The error below says so.
    }
  }
  throw new DocumentError('the key set holds no keys', {
    remedy:
      'have the provider sign with a key pair (RS256, ES256); a shared secret has no public key',
  });
}

/** By jose's code, and of a claim by its name. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm_not_allowed',
  ERR_JWKS_NO_MATCHING_KEY: 'unknown_key',
  // It names no key, and several could have signed it.
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'unknown_key',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'wrong_signature',
  ERR_JWS_INVALID: 'no_jwt',
  ERR_JWT_INVALID: 'no_jwt',
  aud: 'other_audience',
  iss: 'other_issuer',
  nbf: 'not_yet_valid',
  exp: 'no_expiry',
};

/** A word for the log. Claims are named, their values are not. */
function reasonOf(error: unknown): string {
  if (error instanceof jose.errors.JWTClaimValidationFailed) {
    return REASONS[error.claim] ?? 'unusable_claims';
  }
  return (error instanceof jose.errors.JOSEError && REASONS[error.code]) || 'unusable_token';
}
