// The response envelope and the common headers: the only place that turns an
// answer into bytes, and the only one that knows an error's status.

import type { ErrorCode } from '../domain/errors.js';
import { areTexts, type Rows } from '../domain/listing.js';
import type { Answer, Success } from './answer.js';
import { LONG_ANSWER_CHARACTERS, type StreamAnswer } from './answer-stream.js';

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

/** Facts of this exchange. */
export interface EnvelopeFacts {
  readonly requestId: string;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
  /** The headers that admit the request's origin. */
  readonly originHeaders: Readonly<Record<string, string>>;
}

const encoder = new TextEncoder();

/** `stream` makes the body of a long answer; without it every answer is sent as one text. */
export function toResponse(answer: Answer, facts: EnvelopeFacts, stream?: StreamAnswer): Response {
  const { requestId, originHeaders } = facts;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-ID': requestId,
    'Access-Control-Expose-Headers': 'X-Request-ID',
    ...originHeaders,
  };
  const exchange = exchangeOf(facts);
  if ('failure' in answer) {
    const { code, message, retryAfterSeconds } = answer.failure;
    if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
    if (answer.allow !== undefined) headers['Allow'] = answer.allow;
    const text = `{"error":${JSON.stringify({ code, message })},"meta":{${exchange}}}`;
    return new Response(encodable(text, requestId), { status: STATUS_OF[code], headers });
  }
  const { status, before, rows, behind, pagination } = answer;
  let meta = exchange;
  if (pagination !== undefined) {
    const { page, page_size, total, total_pages } = pagination;
    meta += `,"pagination":{"page":${page},"page_size":${page_size},"total":${total},"total_pages":${total_pages}}`;
  }
  const end = `${behind},"meta":{${meta}}}`;
  if (stream !== undefined && isLong(answer)) {
    return new Response(stream(piecesOf(before, rows, end)), { status, headers });
  }
  if (!areTexts(rows)) throw new Error('rows that are made as they are read need a stream');
  const text = `{"data":${before}${rows.join(',')}${end}`;
  return new Response(encodable(text, requestId), { status, headers });
}

/** The rows are not joined: a long text is shared with its record. */
async function* piecesOf(before: string, rows: Rows, end: string): AsyncGenerator<string> {
  yield '{"data":';
  yield before;
  if (areTexts(rows)) {
    let separator = '';
    for (const text of rows) {
      yield separator;
      yield text;
      separator = ',';
    }
  } else {
    yield* rows;
  }
  yield end;
}

/** Whether the answer is too long to be held as one text, or not made yet. */
function isLong({ before, rows }: Success): boolean {
  if (!areTexts(rows)) return true;
  let characters = before.length;
  for (const row of rows) characters += row.length;
  return characters > LONG_ANSWER_CHARACTERS;
}

/** Many answers share a millisecond, and formatting it costs more than the rest of the envelope. */
let lastTimestamp = { now: Number.NaN, text: '' };

/** The members of `meta` that every answer has. */
function exchangeOf({ requestId, now }: EnvelopeFacts): string {
  if (lastTimestamp.now !== now) lastTimestamp = { now, text: new Date(now).toISOString() };
  return `"request_id":${JSON.stringify(requestId)},"timestamp":"${lastTimestamp.text}"`;
}

/** The request id is echoed byte by byte: with a string as body, Node would write it in UTF-8. */
function encodable(text: string, requestId: string): string | Uint8Array<ArrayBuffer> {
  for (let i = 0; i < requestId.length; i++) {
    if (requestId.charCodeAt(i) > 0x7f) return encoder.encode(text);
  }
  return text;
}
