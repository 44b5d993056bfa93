// Reads a provider's response or a token: the account's subject and the token's expiry.

import { decodeJwt } from 'jose';
import { isJsonObject } from '../domain/json.js';
import { SUBJECT_MAX_BYTES } from '../domain/limits.js';
import { utf8Length } from '../utf8-length.js';
import { ProviderError } from './send.js';

/** The account of a valid token. */
export interface Account {
  readonly subject: string;
  /** The `exp` of the response or the claims, in milliseconds since 1970, UTC. */
  readonly expiresAt: number | undefined;
}

/**
 * The member names that lead to the subject. `field` is a name (`sub`), a dotted path
 * (`data.user.id`) or a JSON Pointer (RFC 6901): `/https:~1~1x.example~1uid` is the one member
 * `https://x.example/uid`. Throws a TypeError for a text that can match no response.
 */
export function subjectPath(field: string): readonly string[] {
  // A URL is one member's name. Cut at its dots, it would match nothing.
  if (!field.includes('://') && /^[^./\s][^.\s]*(\.[^.\s]+)*$/.test(field)) return field.split('.');
  // "~" occurs only in "~0" (a "~") and "~1" (a "/").
  if (/^(\/([^/~]|~[01])+)+$/.test(field)) {
    const names = field.slice(1).split('/');
    return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  const expected = 'a dotted path or a JSON Pointer';
  throw new TypeError(`subjectField is ${JSON.stringify(field)}; it must be ${expected}`);
}

/** Undefined if there is no usable subject at the path. Throws a `ProviderError` if it is too long. */
export function accountIn(json: unknown, path: readonly string[]): Account | undefined {
  const subject = subjectText(path.reduce(member, json));
  if (subject === undefined) return undefined;
  if (utf8Length(subject) > SUBJECT_MAX_BYTES) {
    throw new ProviderError(`a subject over ${SUBJECT_MAX_BYTES} bytes`);
  }
  return { subject, expiresAt: expiryOf(json) };
}

/** A non-empty string without control characters, or a safe integer as its decimal text. */
function subjectText(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  // Control characters and lone surrogates would not survive a log, a URL or a file unchanged.
  return /[\p{Cc}\p{Cs}]/u.test(value) ? undefined : value;
}

/** An own member of a JSON value. */
export function member(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The `exp` of a JWT, not verified, because it can only shorten how long a check is cached. */
export function unverifiedExpiry(token: string): number | undefined {
  try {
    return expiryOf(decodeJwt(token));
  } catch {
    return undefined;
  }
}

function expiryOf(claims: unknown): number | undefined {
  const seconds = member(claims, 'exp');
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
