// The gate: a token must be a JWT that the provider signed for this service. It is
// checked here, so that a foreign or forged token opens no account and costs the
// provider nothing.

import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { isJsonObject } from '../domain/json.js';
import { CachedDocument, DocumentError } from './cached-document.js';
import type { DocumentSource, ProviderMetadata } from './discovery.js';

/** Only algorithms with a private key: with a shared secret, every client could sign tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_SKEW_SECONDS = 30;
/**
 * A token with an unknown key makes the service fetch the keys again, at most this
 * often, because anyone can send such a token.
 */
const KEYS_AGE_MIN_MS = 30_000;

export interface JwtVerifierOptions extends DocumentSource {
  /** The token must be for one of these. */
  readonly audiences: readonly string[];
  /** The token must be from this issuer; undefined: from anyone whose key is in the set. */
  readonly issuer: string | undefined;
  readonly jwksUrl: string | undefined;
  readonly metadata: CachedDocument<ProviderMetadata> | undefined;
}

/** Not jose's type: the package's types do without its packages. */
type Claims = Readonly<Record<string, unknown>>;

/**
 * - `passed`: signature, expiry, issuer and audience are right; `claims` are the token's.
 * - `refused`: the token is not for this service; `reason` is a word for the log.
 * - `unavailable`: the keys cannot be had.
 */
export type JwtVerdict =
  | { readonly kind: 'passed'; readonly claims: Claims }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly error: DocumentError };

export interface JwtVerifier {
  /** Never rejects. */
  check(token: string, signal: AbortSignal): Promise<JwtVerdict>;
  /** Fetches the keys, if they are not there yet. Rejects with a `DocumentError`. */
  ready(signal: AbortSignal): Promise<void>;
}

type KeyChoice = ReturnType<typeof createLocalJWKSet>;

export function jwtVerifier(options: JwtVerifierOptions): JwtVerifier {
  const { audiences, issuer, jwksUrl, metadata, clock } = options;
  const keys = new CachedDocument<KeyChoice>({
    ...options,
    name: 'the key set',
    url: async (signal) => jwksUrl ?? (await keySetUrl(metadata, signal)),
    read: keySet,
  });

  async function verify(token: string, key: KeyChoice): Promise<Claims> {
    const wanted: JWTVerifyOptions = {
      algorithms: ALGORITHMS,
      audience: [...audiences],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(clock()),
      requiredClaims: ['exp'],
      ...(issuer !== undefined && { issuer }),
    };
    try {
      return (await jwtVerify(token, key, wanted)).payload;
    } catch (error) {
      // A token without `kid`: several keys could have signed it, and one of them must have.
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return verifyWithAny(token, error, wanted);
    }
  }

  async function verifyWithNewerKeys(token: string, signal: AbortSignal): Promise<Claims> {
    try {
      return await verify(token, await keys.get(signal));
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return verify(token, await keys.atMost(KEYS_AGE_MIN_MS, signal));
    }
  }

  return {
    async check(token, signal) {
      try {
        return { kind: 'passed', claims: await verifyWithNewerKeys(token, signal) };
      } catch (error) {
        if (error instanceof DocumentError) return { kind: 'unavailable', error };
        return { kind: 'refused', reason: reasonOf(error) };
      }
    },
    async ready(signal) {
      await keys.get(signal);
    },
  };
}

async function keySetUrl(
  metadata: CachedDocument<ProviderMetadata> | undefined,
  signal: AbortSignal,
): Promise<string> {
  const url = (await metadata?.get(signal))?.jwksUri;
  if (url !== undefined) return url;
  throw new DocumentError('the discovery document names no usable jwks_uri', {
    remedy: 'set AUTH_JWKS_URL to the address of the keys',
  });
}

function keySet(json: unknown): KeyChoice {
  if (isJsonObject(json) && Array.isArray(json['keys']) && json['keys'].length > 0) {
    try {
      return createLocalJWKSet(json as unknown as JSONWebKeySet);
    } catch {
      // The error below says so.
    }
  }
  throw new DocumentError('the key set holds no keys', {
    remedy:
      'have the provider sign with a key pair (RS256, ES256); a shared secret has no public key',
  });
}

async function verifyWithAny(
  token: string,
  candidates: errors.JWKSMultipleMatchingKeys,
  wanted: JWTVerifyOptions,
): Promise<Claims> {
  for await (const key of candidates) {
    try {
      return (await jwtVerify(token, key, wanted)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** A word for the log. Claims are named, their values are not. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    const reasons: Readonly<Record<string, string>> = {
      aud: 'other_audience',
      iss: 'other_issuer',
      nbf: 'not_yet_valid',
      exp: 'no_expiry',
    };
    return reasons[error.claim] ?? 'unusable_claims';
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm_not_allowed';
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'wrong_signature';
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'no_jwt';
  return 'unusable_token';
}
