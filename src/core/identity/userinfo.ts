// One question at the provider's user-information endpoint, and the verdict on the token.

import { boundedBody } from '../bounded-body.js';
import { isJsonObject } from '../domain/json.js';
import {
  IDENTITY_PROVIDER_TIMEOUT_MS,
  SUBJECT_MAX_BYTES,
  USERINFO_MAX_BYTES,
} from '../domain/limits.js';
import { type Claims, checkedSubjectPath, subjectAt } from './claims.js';
import { type Send, send, type Answer as UserinfoResponse } from './send.js';

export const TIME_IS_OVER = `no answer within ${IDENTITY_PROVIDER_TIMEOUT_MS} ms`;

/**
 * The work within 4 s, the contract's "Identity provider user-info call time-out". At its end the
 * signal closes a connection that is still open. `failed` is told whether the time was over.
 */
export function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  failed: (error: unknown, isOver: boolean) => T,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort();
  const timer = setTimeout(abort, IDENTITY_PROVIDER_TIMEOUT_MS);
  return new Promise<T>((resolve, reject) => {
    // Not left to the work: a caller's own `fetch` may ignore the signal.
    signal.addEventListener('abort', () => reject(signal.reason));
    work(signal).then(resolve, reject);
  })
    .catch((error) => failed(error, signal.aborted))
    .finally(() => {
      clearTimeout(timer);
      abort();
    });
}

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

/** `json`: what the provider said, if it was read and is JSON. */
export type Verdict = { readonly json?: unknown } & (
  | { readonly kind: 'identified'; readonly subject: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unusable'; readonly reason: string }
);

/** A completed exchange. */
export interface Exchange {
  readonly status: number;
  readonly headers: UserinfoResponse['headers'];
  readonly verdict: Verdict;
}

/** Asks about a token, whose claims the gate gives. Rejects with the network's error, a `DocumentError` or the signal's reason. */
export type Ask = (token: string, signal: AbortSignal, claims?: Claims) => Promise<Exchange>;

/** The token itself names the account, and it counts until it expires: the provider isn't asked. */
export function tokenAlone(subjectField: string): Ask {
  const path = checkedSubjectPath(subjectField);
  const answer = { status: 200, headers: new Headers() };
  return async (_token, _signal, claims) => {
    const verdict = subjectVerdict(claims, path) ?? unusable('a token without a usable subject');
    return { ...answer, verdict: { ...verdict, json: claims } };
  };
}

/** OpenID Connect Core 5.3, and endpoints like it. Throws a TypeError for a `subjectField` that can match nothing. */
export function userinfoEndpoint(options: EndpointOptions): Ask {
  const { method = 'GET', subjectField = 'sub', fetch = send } = options;
  const path = checkedSubjectPath(subjectField);
  // By a `Headers` object: names differ in case, and a second Authorization would be joined to the
  // caller's.
  const extra = new Headers({ accept: 'application/json' });
  for (const [name, value] of Object.entries(options.headers ?? {})) extra.set(name, value);
  return async (token, signal) => {
    const url = typeof options.url === 'string' ? options.url : await options.url();
    const headers = { ...Object.fromEntries(extra), authorization: `Bearer ${token}` };
    const response = await fetch(url, { method, headers, redirect: 'manual', signal });
    const { status } = response;
    return { status, headers: response.headers, verdict: await verdictOf(response, path) };
  };
}

const REFUSAL_STATUSES = [400, 401, 403];
const REFUSED: Verdict = { kind: 'refused' };

/** By the first row that applies. Reads at most 64 KiB of the answer; rejects if the connection breaks. */
async function verdictOf(response: UserinfoResponse, path: readonly string[]): Promise<Verdict> {
  const { status } = response;
  const isRefusal = REFUSAL_STATUSES.includes(status);
  const isRead = isRefusal || (status >= 200 && status <= 299);
  const body = isRead ? await boundedBody(response.body, USERINFO_MAX_BYTES) : undefined;
  const json = body && parsed(body);
  const rows: readonly (readonly [applies: boolean, verdict: Verdict | undefined])[] = [
    [isRefusal, REFUSED],
    [!isRead, unusable(`status ${status}`)],
    [body === undefined, unusable(`an answer over ${USERINFO_MAX_BYTES} bytes`)],
    [json === undefined, unusable('an answer that is not JSON')],
    [true, subjectVerdict(json, path)],
    [saysNo(json), REFUSED],
  ];
  const [, verdict] = rows.find(([applies, it]) => applies && it !== undefined) ?? [];
  return { ...(verdict ?? unusable('an answer without a usable subject')), json };
}

/** Undefined if there is no subject. */
function subjectVerdict(json: unknown, path: readonly string[]): Verdict | undefined {
  const subject = subjectAt(json, path);
  if (subject === undefined) return undefined;
  const { length } = new TextEncoder().encode(subject);
  if (length <= SUBJECT_MAX_BYTES) return { kind: 'identified', subject };
  return unusable(`a subject over ${SUBJECT_MAX_BYTES} bytes`);
}

function unusable(reason: string): Verdict {
  return { kind: 'unusable', reason };
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
