// Sends the requests of both clients: credentials, timeout and retries. A call resolves with a response
// or rejects with an ApiError.

import { ApiError } from './api-error.js';
import { startDeadline } from './deadline.js';
import { parseResponse, type ServiceResponse } from './response.js';

/** After a failed connection. Changes are never retried, because they may have been made. */
const READ_RETRIES_MAX = 2;
const RETRY_DELAY_MS = 200;
const TIMEOUT_DEFAULT_MS = 30_000;

export interface ConnectionOptions {
  /**
   * Address of the API with `/api/v1`, such as `https://api.example.com/api/v1`. In a
   * browser it may be relative, such as `/api/v1` behind the page's own proxy.
   */
  readonly baseUrl: string;
  /** Milliseconds for one call, including retries and reading the response. Default: 30 000. */
  readonly timeoutMs?: number | undefined;
  /** Default: the platform's. In a test: `(...args) => handle(new Request(...args))`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, which then rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /** Called before a call that succeeds resolves; iterating over all pages calls it for each page. */
  readonly onAnswer?: ((facts: AnswerFacts) => void) | undefined;
}

/** A response without its data. */
export interface AnswerFacts {
  readonly status: number;
  /** Identifies the request in the service's log. */
  readonly requestId: string;
}

export interface Exchange extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path after the base URL; each segment is encoded by `segment`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

export type Send = (exchange: Exchange) => Promise<ServiceResponse>;

/** The authentication headers. */
type Credentials = Readonly<Record<string, string>>;

/**
 * `credentials`: called before every attempt, so that the token can be fresh. After a 401 it is called
 * once more with the refused ones, and returns undefined if it has no others.
 */
export function connect(
  { baseUrl, timeoutMs = TIMEOUT_DEFAULT_MS, fetch: own }: ConnectionOptions,
  credentials: (refused?: Credentials) => Promise<Credentials | undefined>,
  redirects: Pick<RequestInit, 'redirect'> = {},
): Send {
  const base = baseUrl.replace(/\/+$/, '');

  return async (exchange) => {
    if (own === undefined) checkAddress(baseUrl);
    const fetch = own ?? globalThis.fetch;
    const { method, signal, onAnswer } = exchange;
    const url = base + exchange.path + queryText(exchange.query ?? {});
    const body = bodyText(exchange.body);
    const deadline = startDeadline(`${method} ${url}`, timeoutMs, signal);
    const send = async (headers: Credentials) => {
      const init = { ...requestInit(method, body, headers), ...redirects, signal: deadline.signal };
      const response = await deadline.race(fetch(url, init));
      return parseResponse(response, await deadline.race(response.text()), exchange.body);
    };
    const attempt = async () => {
      const first = (await deadline.race(credentials())) ?? {};
      return send(first).catch(async (error: unknown) => {
        // A refused request has changed nothing, so even a change can be sent again.
        if (!(error instanceof ApiError && error.code === 'UNAUTHORIZED')) throw error;
        const other = await deadline.race(credentials(first));
        if (other === undefined) throw error;
        return send(other);
      });
    };
    try {
      for (let retries = method === 'GET' ? READ_RETRIES_MAX : 0; ; retries--) {
        const response = await attempt().catch((cause: unknown) => {
          if (cause instanceof ApiError || isFrameworkSignal(cause)) throw cause;
          if (retries > 0) return undefined;
          throw new ApiError('CONNECTION_FAILED', `${method} ${url} got no response`, { cause });
        });
        if (response !== undefined) {
          onAnswer?.({ status: response.status, requestId: response.requestId });
          return response;
        }
        await deadline.race(new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS)));
      }
    } finally {
      deadline.done();
    }
  };
}

/** Encodes any text as a path segment. Throws `INVALID_CALL` for `''`, `.` and `..`, which can't be segments of a URL. */
export function segment(text: string): string {
  if (/^\.{0,2}$/.test(text)) {
    throw new ApiError('INVALID_CALL', `"${text}" can't be a segment of a path; pass an id`);
  }
  try {
    return `/${encodeURIComponent(text)}`;
  } catch (cause) {
    throw new ApiError('INVALID_CALL', 'the id is not valid Unicode text', { cause });
  }
}

/** Throws `INVALID_CALL` for an address that the platform's `fetch` can't call, such as a relative one outside a page. */
function checkAddress(baseUrl: string): void {
  const hasScheme = /^[^/?#]*:/.test(baseUrl);
  const isInPage = (globalThis as { location?: unknown }).location !== undefined;
  if (/^https?:\/\//i.test(baseUrl) || (!hasScheme && isInPage)) return;
  throw new ApiError(
    'INVALID_CALL',
    `baseUrl is ${JSON.stringify(baseUrl)}; it must start with https:// or http://, or, in a browser's page, with /`,
  );
}

/**
 * Whether a framework threw this to control rendering, and needs it rethrown unchanged: Next.js marks
 * its errors by `digest` (one of them by a code); React's are promises or have a `$$typeof`.
 */
export function isFrameworkSignal(thrown: unknown): boolean {
  const { digest, code, $$typeof, then } = Object(thrown) as Readonly<Record<string, unknown>>;
  const isMarked = typeof digest === 'string' || code === 'NEXT_STATIC_GEN_BAILOUT';
  return isMarked || typeof $$typeof === 'symbol' || typeof then === 'function';
}

/** Built before `fetch` is called, so that an invalid header isn't reported as a failed connection. */
function requestInit(method: string, body: string | undefined, credentials: Credentials) {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  try {
    const headers = new Headers({ ...credentials, ...type });
    return { method, headers, ...(body !== undefined && { body }) };
  } catch {
    // Without the cause, because its message repeats the token.
    throw new ApiError('INVALID_CALL', 'the token or key has characters that no header can have');
  }
}

function bodyText(body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new ApiError('INVALID_CALL', 'the body is not JSON; check it for cycles and BigInt', {
      cause,
    });
  }
}

/** Avoids URLSearchParams, which React Native implements only in part. A lone surrogate becomes U+FFFD, as it does there. */
function queryText(query: NonNullable<Exchange['query']>): string {
  const given = Object.entries(query).flatMap(([name, value]) => {
    const text = String(value).replace(/[\ud800-\udfff]/gu, '\ufffd');
    return value === undefined ? [] : [`${name}=${encodeURIComponent(text)}`];
  });
  return given.length === 0 ? '' : `?${given.join('&')}`;
}
