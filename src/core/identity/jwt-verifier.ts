// The gate: a token must be a JWT that the provider signed for this service. So a foreign or forged
// token opens no account and costs the provider nothing.

import * as jose from 'jose';
import type { Claims } from './claims.js';
import { DocumentError, type KeySet } from './documents.js';

/** Only algorithms with a private key: with a shared secret, every client could sign tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_SKEW_SECONDS = 30;

export interface JwtVerifierOptions {
  /** The token must be for one of these. */
  readonly audiences: readonly string[];
  /** The token must be from this issuer; undefined: from anyone whose key is in the set. */
  readonly issuer: string | undefined;
  /** Rejects with a `DocumentError`. */
  readonly keys: () => Promise<KeySet>;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export type JwtVerifier = ReturnType<typeof jwtVerifier>;

type JwtVerdict = { readonly claims: Claims } | { readonly refused: string };

export function jwtVerifier({ audiences, issuer, keys, clock }: JwtVerifierOptions) {
  return {
    /**
     * The token's claims, if signature, expiry, issuer and audience are right; otherwise a word for
     * the log. Rejects with a `DocumentError` if the keys can't be fetched.
     */
    async check(token: string): Promise<JwtVerdict> {
      const wanted: jose.JWTVerifyOptions = {
        algorithms: ALGORITHMS,
        audience: [...audiences],
        clockTolerance: CLOCK_SKEW_SECONDS,
        currentDate: new Date(clock()),
        requiredClaims: ['exp'],
        ...(issuer !== undefined && { issuer }),
      };
      try {
        return { claims: (await jose.jwtVerify(token, await keys(), wanted)).payload };
      } catch (error) {
        if (error instanceof DocumentError) throw error;
        return { refused: reasonOf(error) };
      }
    },
    /** Fetches the keys, if they are not there yet. Rejects with a `DocumentError`. */
    ready: (): Promise<unknown> => keys(),
  };
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
