// The response envelope and the common headers: the only place that turns an
// answer into bytes, and the only one that knows an error's status.

import type { ErrorCode } from '../domain/errors.js';
import { areTexts, type Rows } from '../domain/listing.js';
import type { Answer } from './answer.js';
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
  if (answer.kind === 'failure') {
    const { code, retryAfterSeconds } = answer.failure;
    if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
    if (answer.allow !== undefined) headers['Allow'] = answer.allow;
    const status = STATUS_OF[code];
    return new Response(encodable(failureText(answer, facts), requestId), { status, headers });
  }
  const status = answer.kind === 'data' ? answer.status : 200;
  const end = endOf(answer, facts);
  if (stream !== undefined && isLong(answer)) {
    return new Response(stream(piecesOf(answer, end)), { status, headers });
  }
  return new Response(encodable(successText(answer, end), requestId), { status, headers });
}

type Succeeded = Exclude<Answer, Failed>;
type Failed = Extract<Answer, { kind: 'failure' }>;

function failureText({ failure }: Failed, facts: EnvelopeFacts): string {
  const { code, message } = failure;
  return `{"error":${JSON.stringify({ code, message })},"meta":{${exchangeOf(facts)}}}`;
}

/** `meta`, with the pagination of a list, and the end of the envelope. */
function endOf(answer: Succeeded, facts: EnvelopeFacts): string {
  const exchange = exchangeOf(facts);
  if (answer.kind === 'data' || answer.pagination === undefined) return `,"meta":{${exchange}}}`;
  const { page, page_size, total, total_pages } = answer.pagination;
  return `,"meta":{${exchange},"pagination":{"page":${page},"page_size":${page_size},"total":${total},"total_pages":${total_pages}}}}`;
}

function successText(answer: Succeeded, end: string): string {
  if (answer.kind === 'data') return `{"data":${answer.data}${end}`;
  const { before, rows, behind } = answer;
  if (!areTexts(rows)) throw new Error('rows that are made as they are read need a stream');
  return `{"data":${before}[${rows.join(',')}]${behind}${end}`;
}

async function* piecesOf(answer: Succeeded, end: string): AsyncGenerator<string> {
  if (answer.kind === 'data') {
    yield '{"data":';
    yield answer.data;
  } else {
    yield `{"data":${answer.before}[`;
    yield* rowPieces(answer.rows);
    yield `]${answer.behind}`;
  }
  yield end;
}

/** The comma-separated text of the rows, which is not joined: a long text is shared with its record. */
async function* rowPieces(rows: Rows): AsyncGenerator<string> {
  if (!areTexts(rows)) return yield* rows;
  let separator = '';
  for (const text of rows) {
    yield separator;
    yield text;
    separator = ',';
  }
}

/** Whether the answer is too long to be held as one text, or not made yet. */
function isLong(answer: Succeeded): boolean {
  if (answer.kind === 'data') return answer.data.length > LONG_ANSWER_CHARACTERS;
  if (!areTexts(answer.rows)) return true;
  let characters = 0;
  for (const row of answer.rows) characters += row.length;
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
