// Asks the identity provider's user-information endpoint whose token it is
// (OpenID Connect Core 5.3, and endpoints like it).

import { boundedBody } from '../bounded-body.js';
import { isJsonObject } from '../domain/json.js';
import { IDENTITY_PROVIDER_TIMEOUT_MS, USERINFO_MAX_BYTES } from '../domain/limits.js';
import { type Log, silentLog } from '../log.js';
import { type Identity, type IdentityProvider, INVALID, UNAVAILABLE } from './identity-provider.js';
import { ThrottledLog } from './throttled-log.js';

export interface UserinfoOptions {
  /** The endpoint's URL. */
  readonly url: string;
  /** Extra request headers; Supabase wants its `apikey`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Dotted path to the subject in the answer. Default `sub`. */
  readonly subjectField?: string;
  readonly fetch?: typeof fetch;
  readonly log?: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
}

/** Statuses by which a provider refuses the token itself. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);

/** A run of so many characters in an error code and in the token is no coincidence. */
const TELLING_CHARACTERS = 8;

/**
 * One exchange for each call, 4 s in all, the body included; redirects are not
 * followed, and at most 64 KiB of the answer are read.
 */
export function userinfoIdentity(options: UserinfoOptions): IdentityProvider {
  const { url, headers = {}, subjectField = 'sub', log = silentLog } = options;
  const ask = options.fetch ?? fetch;
  const reports = new ThrottledLog(log, options.clock ?? Date.now);
  const path = subjectField.split('.');
  // A `Headers` object, not a spread: names differ in case, and a second
  // Authorization would be joined to the caller's.
  const baseHeaders = new Headers({ accept: 'application/json' });
  for (const [name, value] of Object.entries(headers)) baseHeaders.set(name, value);

  async function exchange(token: string, signal: AbortSignal): Promise<Identity> {
    const requestHeaders = new Headers(baseHeaders);
    requestHeaders.set('authorization', `Bearer ${token}`);
    const response = await ask(url, { headers: requestHeaders, redirect: 'manual', signal });
    if (REFUSALS.has(response.status)) {
      // An operator's mistake (no apikey, no scope) looks the same from here: say what the provider said.
      const reason = refusalReason(await boundedBody(response.body, USERINFO_MAX_BYTES), token);
      reports.warn('identity_provider_refused', { status: response.status, reason });
      return INVALID;
    }
    if (response.status < 200 || response.status > 299) {
      await response.body?.cancel();
      return unusable(`status ${response.status}`);
    }
    const body = await boundedBody(response.body, USERINFO_MAX_BYTES);
    if (body === undefined) return unusable(`an answer over ${USERINFO_MAX_BYTES} bytes`);
    const answer = parsed(body);
    if (answer === undefined) return unusable('an answer that is no JSON');
    const subject = subjectOf(answer, path);
    return subject === undefined
      ? unusable(`no usable subject at "${subjectField}"`)
      : { status: 'identified', subject };
  }

  function unusable(reason: string): Identity {
    reports.warn('identity_provider_unavailable', { reason });
    return UNAVAILABLE;
  }

  return {
    async identify(token) {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), IDENTITY_PROVIDER_TIMEOUT_MS);
      try {
        return await exchange(token, controller.signal);
      } catch (error) {
        const timedOut = controller.signal.aborted;
        return unusable(
          timedOut ? `no answer within ${IDENTITY_PROVIDER_TIMEOUT_MS} ms` : codeOf(error),
        );
      } finally {
        clearTimeout(timer);
        controller.abort();
      }
    },
  };
}

/** A non-empty string without control characters at the path, or a safe integer as its decimal text. */
function subjectOf(answer: unknown, path: readonly string[]): string | undefined {
  let value = answer;
  for (const name of path) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  return isWellFormedSubject(value) ? value : undefined;
}

/** Control characters and lone surrogates would not survive a log, a URL or a file unchanged. */
function isWellFormedSubject(subject: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(subject);
}

/** The provider's own error code, if it looks like one: never text that could hold the token. */
function refusalReason(body: Uint8Array | undefined, token: string): string | null {
  const answer = body && parsed(body);
  if (!isJsonObject(answer)) return null;
  const code = answer['error_code'] ?? answer['error'] ?? answer['code'];
  if (typeof code !== 'string' || !/^[a-z_]{1,40}$/i.test(code)) return null;
  return haveTextInCommon(code.toLowerCase(), token.toLowerCase()) ? null : code;
}

/** Whether a provider may have built its code from the token: from all of it, or from some part. */
function haveTextInCommon(code: string, token: string): boolean {
  if (code.includes(token)) return true;
  for (let start = 0; start <= Math.max(0, code.length - TELLING_CHARACTERS); start++) {
    if (token.includes(code.slice(start, start + TELLING_CHARACTERS))) return true;
  }
  return false;
}

/** The JSON value, or undefined where there is none. Strict: bad bytes replaced, two subjects could become one. */
function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** An error's code alone: its message can hold the request's headers, and so the token. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = isRecord(cause) ? cause['code'] : undefined;
  if (typeof code === 'string' && /^[A-Z0-9_]+$/.test(code)) return code;
  return error instanceof Error ? error.name : 'network error';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
