// A route's result, and the response built from it: envelope and common headers. Only this file
// maps an error code to a status.

import type { Pagination } from '../domain/api-schema.js';
import { type ErrorCode, type Failure, failed, type Outcome } from '../domain/errors.js';
import type { Rows } from '../domain/listing.js';
import { type ChargedRequest, PIECE_CHARACTERS, responseStream } from './response-stream.js';

export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  INVALID_JSON: 400,
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  VALIDATION_FAILED: 422,
  HEADERS_TOO_LARGE: 431,
  QUOTA_EXCEEDED: 422,
  STORAGE_FAILED: 500,
  STORAGE_UNAVAILABLE: 503,
  INTERNAL_ERROR: 500,
  AUTH_UNAVAILABLE: 503,
  ADMIN_DISABLED: 503,
};

/** What a route returns: a success, or a failed outcome. */
export type HandlerResult =
  | Success
  | { readonly failure: Failure; readonly allow?: string | undefined };

/**
 * `data` as JSON text: rows, separated by commas, between two texts. No property is optional, because
 * objects of two shapes made a read 2 % slower.
 */
export interface Success {
  readonly status: 200 | 201;
  readonly prefix: string;
  readonly rows: Rows;
  readonly suffix: string;
  readonly pagination: Pagination | undefined;
}

const NO_ROWS: Rows = [];

export function data(text: string, status: 200 | 201 = 200): HandlerResult {
  return { status, prefix: text, rows: NO_ROWS, suffix: '', pagination: undefined };
}

export function list(rows: Rows, pagination: Pagination): HandlerResult {
  return { status: 200, prefix: '[', rows, suffix: ']', pagination };
}

/** `allow`: the methods, of a 405. */
export function refusal(code: ErrorCode, message: string, allow?: string): HandlerResult {
  return { failure: failed(code, message).failure, allow };
}

export function dataOf(outcome: Outcome<string>, status: 200 | 201 = 200): HandlerResult {
  return outcome.ok ? data(outcome.value, status) : outcome;
}

export interface ResponseMeta {
  readonly requestId: string;
  /** When the request arrived: milliseconds since 1970, UTC. */
  readonly now: number;
  /** The headers that allow the request's origin. */
  readonly originHeaders: Readonly<Record<string, string>>;
}

const encoder = new TextEncoder();
const NON_ASCII = /[^\0-\x7f]/;
/** Many responses are sent in one millisecond, and formatting its time costs more than the rest of the envelope. */
let lastTimestamp = { now: Number.NaN, text: '' };

/** `call`: whose account a long response is charged to; without it every response is sent as one text. */
export function toResponse(
  result: HandlerResult,
  { requestId, now, originHeaders }: ResponseMeta,
  call?: ChargedRequest,
): Response {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-ID': requestId,
    'Access-Control-Expose-Headers': 'X-Request-ID',
    ...originHeaders,
  };
  if (lastTimestamp.now !== now) lastTimestamp = { now, text: new Date(now).toISOString() };
  let meta = `"request_id":${JSON.stringify(requestId)},"timestamp":"${lastTimestamp.text}"`;
  let status: number;
  let text: string;
  if ('failure' in result) {
    const { code, message, retryAfterSeconds } = result.failure;
    if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
    if (result.allow !== undefined) headers['Allow'] = result.allow;
    status = STATUS_OF[code];
    text = `{"error":${JSON.stringify({ code, message })},"meta":{${meta}}}`;
  } else {
    const { prefix, rows, suffix, pagination } = result;
    if (pagination !== undefined) meta += `,"pagination":${JSON.stringify(pagination)}`;
    const end = `${suffix},"meta":{${meta}}}`;
    status = result.status;
    if (call !== undefined && isLong(result)) {
      return new Response(responseStream(piecesOf(prefix, rows, end), call), { status, headers });
    }
    if (Symbol.asyncIterator in rows) throw new Error('lazy rows require a streaming response');
    text = `{"data":${prefix}${rows.join(',')}${end}`;
  }
  // The request id is echoed byte by byte; Node would write a string body in UTF-8.
  const body = NON_ASCII.test(requestId) ? encoder.encode(text) : text;
  return new Response(body, { status, headers });
}

/** The rows are not joined: a long text is shared with its record. */
async function* piecesOf(prefix: string, rows: Rows, end: string): AsyncGenerator<string> {
  yield '{"data":';
  yield prefix;
  if (Symbol.asyncIterator in rows) yield* rows;
  else {
    for (const [index, text] of rows.entries()) {
      if (index > 0) yield ',';
      yield text;
    }
  }
  yield end;
}

/** Whether the response is too long for one text, or its rows are generated lazily. */
function isLong({ prefix, rows }: Success): boolean {
  if (Symbol.asyncIterator in rows) return true;
  let characters = prefix.length;
  for (const row of rows) characters += row.length;
  return characters > PIECE_CHARACTERS;
}
