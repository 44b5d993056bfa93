// A route's result, and the response built from it: envelope and common headers. The only
// place that knows an error's status.

import type { Pagination } from '../domain/api-schema.js';
import { type ErrorCode, type Failure, failed, type Outcome } from '../domain/errors.js';
import { areTexts, type Rows } from '../domain/listing.js';
import { answerStream, PIECE_CHARACTERS, type StreamOwner } from './answer-stream.js';

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
 * `data` as JSON text: rows, separated by commas, between two texts. Each has every member: objects of
 * two shapes made a read dearer by 2 %.
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

export interface EnvelopeFacts {
  readonly requestId: string;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
  /** The headers that admit the request's origin. */
  readonly originHeaders: Readonly<Record<string, string>>;
}

const encoder = new TextEncoder();

/** `caller`: to whom a long response is streamed; without one every response is sent as one text. */
export function toResponse(
  result: HandlerResult,
  { requestId, now, originHeaders }: EnvelopeFacts,
  caller?: StreamOwner,
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
    if (caller !== undefined && isLong(result)) {
      return new Response(answerStream(piecesOf(prefix, rows, end), caller), { status, headers });
    }
    if (!areTexts(rows)) throw new Error('lazily generated rows require a streaming response');
    text = `{"data":${prefix}${rows.join(',')}${end}`;
  }
  // The request id is echoed byte by byte: with a string as body, Node would write it in UTF-8.
  const body = BEYOND_ASCII.test(requestId) ? encoder.encode(text) : text;
  return new Response(body, { status, headers });
}

const BEYOND_ASCII = /[^\0-\x7f]/;
/** Many responses share a millisecond, and formatting it costs more than the rest of the envelope. */
let lastTimestamp = { now: Number.NaN, text: '' };

/** The rows are not joined: a long text is shared with its record. */
async function* piecesOf(prefix: string, rows: Rows, end: string): AsyncGenerator<string> {
  yield '{"data":';
  yield prefix;
  if (!areTexts(rows)) yield* rows;
  else {
    for (const [index, text] of rows.entries()) {
      if (index > 0) yield ',';
      yield text;
    }
  }
  yield end;
}

/** Whether the answer is too long to be held as one text, or not made yet. */
function isLong({ prefix, rows }: Success): boolean {
  if (!areTexts(rows)) return true;
  let characters = prefix.length;
  for (const row of rows) characters += row.length;
  return characters > PIECE_CHARACTERS;
}
