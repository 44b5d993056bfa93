// One question at the provider's user-information endpoint, and the verdict on the token.

import { boundedBody } from '../bounded-body.js';
import { isJsonObject } from '../domain/json.js';
import { SUBJECT_MAX_BYTES, USERINFO_MAX_BYTES } from '../domain/limits.js';
import { type Claims, expiryOf, subjectAt, subjectPath } from './claims.js';
import { type Send, send, type Answer as UserinfoResponse } from './send.js';

/** `fields`: for the log. */
export type Verdict =
  /** `expiresAt`: in milliseconds since 1970, UTC, if the answer says so. */
  | {
      readonly kind: 'identified';
      readonly subject: string;
      readonly expiresAt?: number | undefined;
    }
  | { readonly kind: 'refused'; readonly fields: VerdictFields }
  | {
      readonly kind: 'unusable';
      readonly fields: VerdictFields & { readonly reason: string };
      /** Of a 429 or 503, which may ask for a pause. */
      readonly busy?: UserinfoResponse;
    };
type VerdictFields = Readonly<Record<string, string | number>>;

/** Asks about a token, whose claims the gate gives. Rejects with the network's error, a `DocumentError` or the signal's reason. */
export type Ask = (token: string, signal: AbortSignal, claims?: Claims) => Promise<Verdict>;

export interface EndpointOptions {
  /** The endpoint's URL. */
  readonly url: string | (() => Promise<string>);
  /** Extra request headers; Supabase wants its `apikey`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `GET`; PocketBase wants `POST`. */
  readonly method?: 'GET' | 'POST';
  /** Dotted path or JSON Pointer to the subject in the answer. Default `sub`. */
  readonly subjectField?: string;
  /** Default: `node:http` on Node, the platform's `fetch` elsewhere. */
  readonly fetch?: Send;
}

const NO_SUBJECT = 'without a usable subject; check AUTH_SUBJECT_FIELD';

/** The token itself names the account, and it counts until it expires: the provider isn't asked. */
export function tokenAlone(subjectField: string): Ask {
  const path = subjectPath(subjectField);
  return async (_token, _signal, claims) =>
    subjectVerdict(claims, path) ?? unusable(`a token ${NO_SUBJECT}`);
}

/** OpenID Connect Core 5.3, and endpoints like it. Throws a TypeError for a `subjectField` that can match nothing. */
export function userinfoEndpoint(options: EndpointOptions): Ask {
  const { url, method = 'GET', subjectField = 'sub', fetch = send } = options;
  const path = subjectPath(subjectField);
  // By a `Headers` object: names differ in case, and a second Authorization would be joined to the
  // caller's.
  const extra = new Headers({ accept: 'application/json' });
  for (const [name, value] of Object.entries(options.headers ?? {})) extra.set(name, value);
  return async (token, signal) => {
    const headers = { ...Object.fromEntries(extra), authorization: `Bearer ${token}` };
    const address = typeof url === 'string' ? url : await url();
    const response = await fetch(address, { method, headers, redirect: 'manual', signal });
    return verdictOf(response, token, path);
  };
}

/** Reads at most 64 KiB of the answer; rejects if the connection breaks. */
async function verdictOf(
  response: UserinfoResponse,
  token: string,
  path: readonly string[],
): Promise<Verdict> {
  const { status } = response;
  if (status === 429 || status === 503) return { ...unusable(`status ${status}`), busy: response };
  const isRefusal = status === 400 || status === 401 || status === 403;
  if (!isRefusal && (status < 200 || status > 299)) return unusable(`status ${status}`);
  const body = await boundedBody(response.body, USERINFO_MAX_BYTES);
  const json = body && parsed(body);
  const refused: Verdict = { kind: 'refused', fields: { status, ...errorOf(json, token) } };
  if (isRefusal) return refused;
  if (body === undefined) return unusable(`an answer over ${USERINFO_MAX_BYTES} bytes`);
  if (json === undefined) return unusable('an answer that is not JSON');
  const verdict = subjectVerdict(json, path);
  return verdict ?? (saysNo(json) ? refused : unusable(`an answer ${NO_SUBJECT}`));
}

/** Undefined if there is no subject. */
function subjectVerdict(json: unknown, path: readonly string[]): Verdict | undefined {
  const subject = subjectAt(json, path);
  if (subject === undefined) return undefined;
  const { length } = new TextEncoder().encode(subject);
  if (length > SUBJECT_MAX_BYTES) return unusable(`a subject over ${SUBJECT_MAX_BYTES} bytes`);
  return { kind: 'identified', subject, expiresAt: expiryOf(json) };
}

function unusable(reason: string) {
  return { kind: 'unusable', fields: { reason } } as const;
}

/** The `error` of an answer, if it is a code as in RFC 6749, which can't hold a token. */
function errorOf(json: unknown, token: string): { readonly error?: string } {
  const error = isJsonObject(json) && Object.hasOwn(json, 'error') ? json['error'] : undefined;
  if (typeof error !== 'string' || !/^[a-z_]{1,40}$/.test(error)) return {};
  return error.includes(token.toLowerCase()) ? {} : { error };
}

/**
 * Whether a 2xx without a subject refuses the token: `null` (better-auth's session),
 * `false`, `{"active": false}` (RFC 7662), an `error` that is not empty, `{"status": "error"}` (Casdoor).
 */
function saysNo(json: unknown): boolean {
  if (json === null || json === false) return true;
  if (!isJsonObject(json)) return false;
  const own = (name: string) => (Object.hasOwn(json, name) ? json[name] : undefined);
  if (own('active') === false || own('status') === 'error') return true;
  const error = own('error');
  return Boolean(error) && (typeof error !== 'object' || Object.keys(error ?? {}).length > 0);
}

/** Undefined if it is not JSON. Strict: with bad bytes replaced, two subjects could become one. */
export function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
