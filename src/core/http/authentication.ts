// The two gates: a bearer token that the identity provider vouches for, and
// the operator's key.

import type { Actor } from '../domain/audit-event.js';
import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { ADMIN_KEY_MIN_CHARACTERS } from '../domain/limits.js';
import type { From, IdentityProvider } from '../identity/identity-provider.js';

/** RFC 6750, section 2.1, with the scheme's case ignored as RFC 9110, section 11.1, asks. */
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

export const ADMIN_KEY_HEADER = 'x-service-admin-key';

/** The operator's key; two keys during a rotation. */
export type AdminKey = string | readonly string[] | undefined;

/** The admitted caller: an account, the operator by the key, or anyone if no credentials are needed. */
export interface Principal {
  /** Of the account; empty for others. Under this name a caller takes turns and holds bytes. */
  readonly subject: string;
  /** The operator. */
  readonly actor: Actor | undefined;
}

/** Of a route that asks for no credentials. */
export const ADMITTED_ANYONE: Outcome<Principal> = succeeded({ subject: '', actor: undefined });

/** Lets in the account that the request's token belongs to. */
export async function admitAccount(
  request: Request,
  identity: IdentityProvider,
  from?: From,
): Promise<Outcome<Principal>> {
  const token = BEARER.exec(request.headers.get('authorization') ?? '')?.[1];
  if (token === undefined) {
    return failed(
      'UNAUTHORIZED',
      'no usable bearer token; send the header "Authorization: Bearer ACCESS_TOKEN"',
    );
  }
  const who = await identity.identify(token, from);
  if (who.status === 'identified') return succeeded({ subject: who.subject, actor: undefined });
  if (who.status === 'invalid') {
    return failed('UNAUTHORIZED', 'the identity provider refused the token; get a new one');
  }
  const { reason = 'the identity provider does not answer; try again later' } = who;
  const { failure } = failed('AUTH_UNAVAILABLE', reason);
  const { retryAfterSeconds } = who;
  return { ok: false, failure: { ...failure, ...(retryAfterSeconds && { retryAfterSeconds }) } };
}

/** "When not configured, all admin routes return 503"; "a wrong or missing key returns 401". */
export function adminGate(configured: AdminKey): (request: Request) => Outcome<Principal> {
  const keys = usableKeys(configured);
  if (keys.length === 0) {
    return () =>
      failed(
        'ADMIN_DISABLED',
        `no admin key is configured; set ADMIN_API_KEY to at least ${ADMIN_KEY_MIN_CHARACTERS} characters`,
      );
  }
  return (request) =>
    isOneOf(keys, request.headers.get(ADMIN_KEY_HEADER) ?? '')
      ? succeeded({ subject: '', actor: 'admin' })
      : failed('UNAUTHORIZED', 'missing or wrong admin key; send it as "X-Service-Admin-Key"');
}

/** The configured keys that are long enough to be used. */
export function usableKeys(configured: AdminKey): readonly string[] {
  return [configured ?? []].flat().filter(({ length }) => length >= ADMIN_KEY_MIN_CHARACTERS);
}

/** For requests outside the API that carry the key. */
export function isAdminKey(configured: AdminKey, given: string): boolean {
  return isOneOf(usableKeys(configured), given);
}

/** Compares with every key, also after a match, so that the time does not tell which key matched. */
function isOneOf(keys: readonly string[], given: string): boolean {
  let matches = 0;
  for (const key of keys) matches += equalInConstantTime(given, key) ? 1 : 0;
  return matches > 0;
}

/** Takes the same time for a nearly right key as for any other: the time depends only on the key's length. */
function equalInConstantTime(given: string, key: string): boolean {
  let difference = given.length ^ key.length;
  for (let i = 0; i < key.length; i++) {
    // Past the end of `given`, NaN becomes 0 in the XOR; its length already differs.
    difference |= given.charCodeAt(i) ^ key.charCodeAt(i);
  }
  return difference === 0;
}
