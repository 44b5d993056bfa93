// The connection of both clients to the service: credentials, time-out,
// repetition. The result is an answer or an ApiError.

import { ApiError, type ApiErrorCode } from './api-error.js';

/** How often a read is sent again after the connection failed. Changes are never sent again, because they may have arrived. */
const READ_REPETITIONS_MAX = 2;
const REPETITION_DELAY_MS = 200;
const TIMEOUT_DEFAULT_MS = 30_000;
const TOO_MANY_REQUESTS = 429;

export interface ConnectionOptions {
  /** Address of the API with `/api/v1`, such as `https://api.example.com/api/v1`. */
  readonly baseUrl: string;
  /** Milliseconds for one call with its repetitions and the reading of the answer. Default: 30 000. */
  readonly timeoutMs?: number;
  /** Default: the platform's. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface Exchange extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path after the base URL; each segment is encoded by `segment`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** The service's answer. A list has `meta.pagination`. */
export interface Answer {
  readonly data: unknown;
  readonly meta: { readonly request_id: string; readonly pagination?: unknown };
}

export type Send = (exchange: Exchange) => Promise<Answer>;

/** `headers` is called before every attempt, so that the token can be a fresh one. */
export function connect(
  { baseUrl, timeoutMs = TIMEOUT_DEFAULT_MS, fetch = platformFetch }: ConnectionOptions,
  headers: () => Promise<Record<string, string>>,
): Send {
  const base = baseUrl.replace(/\/+$/, '');

  return async (exchange) => {
    const { method, signal: ended } = exchange;
    const url = base + exchange.path + queryText(exchange.query ?? {});
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = ended === undefined ? timeout : AbortSignal.any([ended, timeout]);
    let repetitions = method === 'GET' ? READ_REPETITIONS_MAX : 0;
    try {
      for (;;) {
        const request = requestInit(exchange, await orEnded(headers(), signal));
        try {
          const response = await fetch(url, { ...request, signal });
          return answerOf(response, await response.text());
        } catch (cause) {
          if (signal.aborted) throw signal.reason;
          if (cause instanceof ApiError) throw cause;
          if (repetitions-- === 0) {
            throw new ApiError('CONNECTION_FAILED', `${method} ${url} got no answer`, { cause });
          }
        }
        await orEnded(new Promise((resolve) => setTimeout(resolve, REPETITION_DELAY_MS)), signal);
      }
    } catch (error) {
      if (!timeout.aborted || error !== timeout.reason) throw error;
      throw new ApiError('TIMED_OUT', `${method} ${url} got no answer within ${timeoutMs} ms`);
    }
  };
}

/** A path segment from any text. Throws a TypeError for `''`, `.` and `..`, which no URL can hold as a segment. */
export function segment(text: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new TypeError(`${JSON.stringify(text)} is no segment of a path; pass an id`);
  }
  return `/${encodeURIComponent(text)}`;
}

const platformFetch: NonNullable<ConnectionOptions['fetch']> = (url, init) =>
  globalThis.fetch(url, init);

/** Made before the attempt: an invalid header is an error of the caller, not of the connection. */
function requestInit({ method, body }: Exchange, headers: Record<string, string>): RequestInit {
  if (body === undefined) return { method, headers: new Headers(headers) };
  return {
    method,
    headers: new Headers({ ...headers, 'Content-Type': 'application/json' }),
    body: JSON.stringify(body),
  };
}

function answerOf(response: Response, text: string): Answer {
  const { status } = response;
  const envelope = parsed(text);
  const requestId = response.headers.get('x-request-id') ?? envelope?.meta?.request_id;
  const retryAfterMs = retryAfterMsOf(response.headers);
  const facts = { status, requestId, retryAfterMs };
  // The service has no rate limit: this is a proxy's, whose body may be anything.
  if (status === TOO_MANY_REQUESTS) {
    const message = envelope?.error?.message ?? 'too many requests; wait before the next one';
    throw new ApiError('RATE_LIMITED', message, facts);
  }
  if (response.ok && envelope?.meta !== undefined && 'data' in envelope) return envelope as Answer;
  if (!response.ok && envelope?.error !== undefined) {
    const { code, message } = envelope.error;
    throw new ApiError(code, message, facts);
  }
  throw new ApiError(
    'UNEXPECTED_ANSWER',
    `status ${status} is not from the service; check baseUrl and what stands in front of it`,
    facts,
  );
}

/** RFC 9110, section 10.2.3: seconds, or a date, which counts from the answer's own. */
function retryAfterMsOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const wait = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

interface Envelope {
  data?: unknown;
  error?: { code: ApiErrorCode; message: string };
  meta?: { request_id?: string };
}

function parsed(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function queryText(query: NonNullable<Exchange['query']>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** The promise's value; rejects with the signal's reason if the signal comes first. */
function orEnded<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
