// What a provider's answer or a token says: the account's subject, the end of the token, its audience.

import { decodeJwt } from 'jose';
import { isJsonObject } from '../domain/json.js';

/** Not jose's type: the package's types do without its packages. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * The member names that lead to the subject. `field` is a name (`sub`), a dotted path
 * (`data.user.id`) or a JSON Pointer (RFC 6901): `/https:~1~1x.example~1uid` is the one member
 * `https://x.example/uid`. Throws a TypeError for a text that can match no answer.
 */
export function subjectPath(field: string): readonly string[] {
  // A URL is one member's name. Cut at its dots, it would match nothing.
  if (!field.includes('://') && /^[^./\s][^.\s]*(\.[^.\s]+)*$/.test(field)) return field.split('.');
  // "~" stands only in "~0" (a "~") and "~1" (a "/").
  if (/^(\/([^/~]|~[01])+)+$/.test(field)) {
    const names = field.slice(1).split('/');
    return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  const wanted = 'a dotted path or a JSON Pointer';
  throw new TypeError(`subjectField is ${JSON.stringify(field)}; it must be ${wanted}`);
}

/** A non-empty string without control characters at the path, or a safe integer as its decimal text. */
export function subjectAt(answer: unknown, path: readonly string[]): string | undefined {
  let value = answer;
  for (const name of path) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  // Control characters and lone surrogates would not survive a log, a URL or a file unchanged.
  return /[\p{Cc}\p{Cs}]/u.test(value) ? undefined : value;
}

/** The `exp` member of claims or user information, in milliseconds since 1970, UTC. */
export function expiryOf(claims: unknown): number | undefined {
  const seconds = isJsonObject(claims) && Object.hasOwn(claims, 'exp') ? claims['exp'] : undefined;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

/** The same of a JWT; undefined for other tokens. Not verified: it only shortens how long a check is remembered. */
export function unverifiedExpiry(token: string): number | undefined {
  try {
    return expiryOf(decodeJwt(token));
  } catch {
    return undefined;
  }
}
