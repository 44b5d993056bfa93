// Authentication: an account's bearer token, which the identity provider checks, and the operator's key.

import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { ADMIN_KEY_MIN_CHARACTERS } from '../domain/limits.js';
import type { Identity, IdentityProvider } from '../identity/identity-provider.js';
import { type MaybePromise, thenMaybe } from '../maybe-promise.js';

/** RFC 6750, section 2.1, with the scheme's case ignored as RFC 9110, section 11.1, asks. */
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

export const ADMIN_KEY_HEADER = 'x-service-admin-key';

/** The operator's key; two keys during a rotation. */
export type AdminKey = string | readonly string[] | undefined;

const NO_TOKEN = 'no usable bearer token; send the header "Authorization: Bearer ACCESS_TOKEN"';
const REFUSED = 'the identity provider refused the token; get a new one';
const NO_KEY = `no admin key is configured; set ADMIN_API_KEY to at least ${ADMIN_KEY_MIN_CHARACTERS} characters`;
const WRONG_KEY = 'missing or wrong admin key; send it as "X-Service-Admin-Key"';

/** Succeeds with the subject of the account that the request's bearer token belongs to. */
export function authenticateAccount(
  request: Request,
  identity: IdentityProvider,
  from?: () => string | undefined,
): MaybePromise<Outcome<string>> {
  const token = BEARER.exec(request.headers.get('authorization') ?? '')?.[1];
  if (token === undefined) return failed('UNAUTHORIZED', NO_TOKEN);
  return thenMaybe(identity.identify(token, from), outcomeOf);
}

function outcomeOf(who: Identity): Outcome<string> {
  if (who.status === 'identified') {
    if (typeof who.subject === 'string' && who.subject !== '') return succeeded(who.subject);
    // A program's own provider may return, say, a number, at which the storage would fail.
    throw new TypeError('identify returned a subject that is not a non-empty string');
  }
  if (who.status === 'invalid') return failed('UNAUTHORIZED', REFUSED);
  const { reason: message = 'the identity provider does not respond; try again later' } = who;
  const pause = who.retryAfterSeconds && { retryAfterSeconds: who.retryAfterSeconds };
  return { ok: false, failure: { code: 'AUTH_UNAVAILABLE', message, ...pause } };
}

/** For requests without an account: the operator's, and those that need no credentials. */
export const NO_ACCOUNT: Outcome<string> = succeeded('');

/** "When not configured, all admin routes return 503"; "a wrong or missing key returns 401". */
export function adminKeyCheck(configured: AdminKey): (request: Request) => Outcome<string> {
  const keys = usableKeys(configured);
  if (keys.length === 0) return () => failed('ADMIN_DISABLED', NO_KEY);
  return (request) => {
    const given = request.headers.get(ADMIN_KEY_HEADER) ?? '';
    // Compares every key, even after a match, so that the time does not reveal which one matched.
    const matching = keys.filter((key) => equalInConstantTime(given, key));
    return matching.length > 0 ? NO_ACCOUNT : failed('UNAUTHORIZED', WRONG_KEY);
  };
}

/** The configured keys that are long enough to be used. */
export function usableKeys(configured: AdminKey): readonly string[] {
  return [configured ?? []].flat().filter(({ length }) => length >= ADMIN_KEY_MIN_CHARACTERS);
}

/** The time depends only on the key's length, not on how many characters are right. */
function equalInConstantTime(given: string, key: string): boolean {
  let difference = given.length ^ key.length;
  for (let i = 0; i < key.length; i++) {
    // Past the end of `given`, NaN becomes 0 in the XOR; its length already differs.
    difference |= given.charCodeAt(i) ^ key.charCodeAt(i);
  }
  return difference === 0;
}
