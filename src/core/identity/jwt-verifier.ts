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

export function jwtVerifier({ audiences, issuer, keys, clock }: JwtVerifierOptions) {
  return {
    /**
     * The token's claims, if signature, expiry, issuer and audience are right; otherwise, for the log,
     * the claim that isn't or jose's code. Rejects with a `DocumentError` if the keys can't be fetched.
     */
    async check(token: string): Promise<{ claims: Claims } | { refused: string }> {
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
        if (error instanceof jose.errors.JWTClaimValidationFailed) return { refused: error.claim };
        return { refused: error instanceof jose.errors.JOSEError ? error.code : 'unusable_token' };
      }
    },
    /** Fetches the keys, if they are not there yet. Rejects with a `DocumentError`. */
    ready: (): Promise<unknown> => keys(),
  };
}
