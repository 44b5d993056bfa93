// The claims of a token, not verified. They let nobody in: they only shorten how long
// a check is remembered, and tell the operator what the tokens contain.

import { decodeJwt } from 'jose';
import { isJsonObject } from '../domain/json.js';

/** The end of the token in milliseconds since 1970, UTC; undefined where it is no JWT or says none. */
export function unverifiedExpiry(token: string): number | undefined {
  return expiryOf(claimsOf(token));
}

export function showsAudience(token: string): boolean {
  return claimsOf(token)?.['aud'] !== undefined;
}

/** The `exp` member of claims or user information, in milliseconds since 1970, UTC. */
export function expiryOf(claims: unknown): number | undefined {
  const seconds = isJsonObject(claims) && Object.hasOwn(claims, 'exp') ? claims['exp'] : undefined;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  // Most tokens that are no JWT are told by their dots, without an exception.
  if (token.split('.').length !== 3) return undefined;
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}
