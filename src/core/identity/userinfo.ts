// One request to the provider's user-information endpoint (OpenID Connect Core 5.3, or a similar one),
// and the verdict on the token.

import { USERINFO_MAX_BYTES } from '../domain/limits.js';
import { retryAfterMs } from '../retry-after.js';
import { type Account, accountIn, member, subjectPath } from './claims.js';
import type { ProviderAccess } from './documents.js';
import { ProviderError, type ProviderResponse, readJson } from './send.js';
import type { SignInSettings } from './sign-in.js';

/** `refused`: for the log. */
export type Verdict = Account | { readonly refused: Refusal };
type Refusal = { readonly status: number; readonly error?: string };

/** Finds a token's account. `claims`: those of a verified JWT. Rejects if the token stays undecided. */
export type CheckToken = (token: string, signal: AbortSignal, claims?: unknown) => Promise<Verdict>;

type EndpointOptions = ProviderAccess &
  Required<Pick<SignInSettings, 'headers' | 'method' | 'subjectField'>> & {
    readonly url: () => Promise<string>;
  };

const NO_SUBJECT = 'without a usable subject; check AUTH_SUBJECT_FIELD';
const REFUSALS = [400, 401, 403];
const BUSY = [429, 503];
/** A provider, or a proxy before it, that asks for a year would lock out every user. */
const PAUSE_MAX_SECONDS = 60;

/** Takes the account from the token's own claims, without a request to the provider. */
export function subjectOfToken(subjectField: string): CheckToken {
  const path = subjectPath(subjectField);
  return async (_token, _signal, claims) => {
    const account = accountIn(claims, path);
    if (account === undefined) throw new ProviderError(`a token ${NO_SUBJECT}`);
    return account;
  };
}

/** Throws a TypeError for a `subjectField` that can match nothing. */
export function userinfoEndpoint(options: EndpointOptions): CheckToken {
  const { url, method, fetch, clock } = options;
  const path = subjectPath(options.subjectField);
  // A `Headers` object, because names differ in case, and a second Authorization would be joined to the
  // caller's.
  const extra = new Headers({ accept: 'application/json' });
  for (const [name, value] of Object.entries(options.headers)) extra.set(name, value);
  /** Until then, after a 503, no request is sent. */
  let pausedUntil = 0;
  return async (token, signal) => {
    const left = Math.ceil((pausedUntil - clock()) / 1000);
    // A longer pause means that the clock was set back.
    if (left > 0 && left <= PAUSE_MAX_SECONDS) throw new ProviderError('a pause after a 503', left);
    const headers = { ...Object.fromEntries(extra), authorization: `Bearer ${token}` };
    const response = await fetch(await url(), { method, headers, redirect: 'manual', signal });
    const { status } = response;
    if (BUSY.includes(status)) {
      const requested = Math.ceil((retryAfterMs(response.headers, clock()) ?? 0) / 1000);
      const seconds = Math.min(requested, PAUSE_MAX_SECONDS);
      // A 429 pauses nothing, because it is about one token or client, and junk would pause every user.
      if (status === 503 && seconds > 0) pausedUntil = clock() + seconds * 1000;
      throw new ProviderError(`status ${status}`, seconds || undefined);
    }
    return verdictOf(response, token, path);
  };
}

async function verdictOf(
  { status, body }: ProviderResponse,
  token: string,
  path: readonly string[],
): Promise<Verdict> {
  if (REFUSALS.includes(status)) {
    const json = await readJson(body, USERINFO_MAX_BYTES).catch(() => undefined);
    return { refused: { status, ...errorOf(json, token) } };
  }
  if (status < 200 || status > 299) throw new ProviderError(`status ${status}`);
  const json = await readJson(body, USERINFO_MAX_BYTES);
  const account = accountIn(json, path);
  if (account !== undefined) return account;
  if (isDenial(json)) return { refused: { status, ...errorOf(json, token) } };
  throw new ProviderError(`a response ${NO_SUBJECT}`);
}

/** The `error` of a response, if it is a code as in RFC 6749, which can't contain a token. */
function errorOf(json: unknown, token: string): { readonly error?: string } {
  const error = member(json, 'error');
  if (typeof error !== 'string' || !/^[a-z_]{1,40}$/.test(error)) return {};
  return error.includes(token.toLowerCase()) ? {} : { error };
}

/**
 * Whether a 2xx without a subject refuses the token: `null` (better-auth's session),
 * `false`, `{"active": false}` (RFC 7662), an `error` that is not empty, `{"status": "error"}` (Casdoor).
 */
function isDenial(json: unknown): boolean {
  if (json === null || json === false) return true;
  if (member(json, 'active') === false || member(json, 'status') === 'error') return true;
  const error = member(json, 'error');
  return Boolean(error) && (typeof error !== 'object' || Object.keys(error ?? {}).length > 0);
}
