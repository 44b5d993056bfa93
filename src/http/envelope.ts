// The response envelope and the common headers: the only place that turns an
// answer into bytes, and the only one that knows an error's status.

import type { ErrorCode } from '../domain/errors.js';
import type { Texts } from '../domain/listing.js';
import { nextTask } from '../records/turns.js';
import type { Answer } from './answer.js';

export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  INVALID_JSON: 400,
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  VALIDATION_FAILED: 422,
  HEADERS_TOO_LARGE: 431,
  STORAGE_FAILED: 500,
  INTERNAL_ERROR: 500,
  AUTH_UNAVAILABLE: 503,
  ADMIN_DISABLED: 503,
};

/** What the envelope says of the exchange itself. */
export interface EnvelopeFacts {
  readonly requestId: string;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
  /** The headers that admit the request's origin. */
  readonly originHeaders: Readonly<Record<string, string>>;
}

/** Above this many characters an answer is sent in pieces, so that a slow reader holds little memory. */
const STREAM_ABOVE_CHARACTERS = 1_000_000;
const PIECE_CHARACTERS = 65_536;
/** About a millisecond's work. */
const PIECES_A_TURN = 8;

const encoder = new TextEncoder();

export function respond(answer: Answer, facts: EnvelopeFacts): Response {
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
    return new Response(encodable(failureText(answer, facts), requestId), {
      status: STATUS_OF[code],
      headers,
    });
  }
  if (answer.kind === 'data') {
    const text = `{"data":${answer.data},"meta":${metaOf(facts)}}`;
    return new Response(encodable(text, requestId), { status: answer.status, headers });
  }
  const { items } = answer;
  if (!isAtHand(items) || charactersOf(items) > STREAM_ABOVE_CHARACTERS) {
    return new Response(streamed(listTexts(answer, facts)), { status: 200, headers });
  }
  const text = `{"data":[${items.join(',')}],"meta":${listMetaOf(answer, facts)}}`;
  return new Response(encodable(text, requestId), { status: 200, headers });
}

type Failed = Extract<Answer, { kind: 'failure' }>;
type Listed = Extract<Answer, { kind: 'list' }>;

function failureText({ failure }: Failed, facts: EnvelopeFacts): string {
  const { code, message } = failure;
  return `{"error":${JSON.stringify({ code, message })},"meta":${metaOf(facts)}}`;
}

function metaOf(facts: EnvelopeFacts): string {
  return `{${exchangeOf(facts)}}`;
}

function listMetaOf({ pagination }: Listed, facts: EnvelopeFacts): string {
  const { page, page_size, total, total_pages } = pagination;
  return `{${exchangeOf(facts)},"pagination":{"page":${page},"page_size":${page_size},"total":${total},"total_pages":${total_pages}}}`;
}

/** The members of `meta` that every answer has. */
function exchangeOf({ requestId, now }: EnvelopeFacts): string {
  return `"request_id":${JSON.stringify(requestId)},"timestamp":"${timestampOf(now)}"`;
}

/** Many answers share a millisecond, and formatting it costs more than the rest of the envelope. */
let lastTimestamp = { now: Number.NaN, text: '' };

function timestampOf(now: number): string {
  if (lastTimestamp.now !== now) lastTimestamp = { now, text: new Date(now).toISOString() };
  return lastTimestamp.text;
}

function isAtHand(items: Texts): items is readonly string[] {
  return Array.isArray(items);
}

function charactersOf(items: readonly string[]): number {
  let characters = 0;
  for (const item of items) characters += item.length;
  return characters;
}

/**
 * The request id is echoed byte by byte. Node writes the headers that go out
 * with a string in the string's encoding, UTF-8, which would turn one byte
 * above 7F into two; with bytes it does not.
 */
function encodable(text: string, requestId: string): string | Uint8Array<ArrayBuffer> {
  return isAscii(requestId) ? text : encoder.encode(text);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

async function* listTexts(answer: Listed, facts: EnvelopeFacts): AsyncGenerator<string> {
  yield '{"data":[';
  let separator = '';
  for await (const item of answer.items) {
    yield separator;
    yield item;
    separator = ',';
  }
  yield `],"meta":${listMetaOf(answer, facts)}}`;
}

/** Encodes on demand: what is not yet sent is still the shared text of a record. */
function streamed(texts: AsyncGenerator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const source = pieces(texts);
  let count = 0;
  return new ReadableStream({
    async pull(controller) {
      // A reader that is as fast as memory would keep everyone else waiting till the end of its answer.
      if (++count % PIECES_A_TURN === 0) await nextTask();
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    // Lets go of where the texts come from.
    async cancel() {
      await source.return();
    },
  });
}

/**
 * Small texts gathered and long ones cut, never between the two halves of a
 * surrogate pair. A long text is never joined to another: that would be a copy
 * of it for every reader.
 */
async function* pieces(texts: AsyncGenerator<string>): AsyncGenerator<string, void, void> {
  let gathered = '';
  for await (const text of texts) {
    if (gathered.length + text.length <= PIECE_CHARACTERS) {
      gathered += text;
      continue;
    }
    if (gathered !== '') yield gathered;
    let start = 0;
    while (text.length - start > PIECE_CHARACTERS) {
      let end = start + PIECE_CHARACTERS;
      const last = text.charCodeAt(end - 1);
      if (last >= 0xd800 && last <= 0xdbff) end--;
      yield text.slice(start, end);
      start = end;
    }
    gathered = text.slice(start);
  }
  if (gathered !== '') yield gathered;
}
