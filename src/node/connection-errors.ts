// Answers to what never becomes a request: malformed bytes, headers too large
// or too slow. Node would send a bare status line; clients get the envelope.

import { randomFillSync } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, type Failure, failed } from '../domain/errors.js';
import { failure } from '../http/answer.js';
import { type Exchange, respond } from '../http/envelope.js';
import { requestIds } from '../http/request-id.js';

const MALFORMED = reason(
  'BAD_REQUEST',
  'this is not a well-formed HTTP/1.1 request; check its target, headers and body framing',
);
const REASONS: ReadonlyMap<string | undefined, Failure> = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    reason('REQUEST_TIMEOUT', 'the request took too long to arrive; send it again'),
  ],
  [
    'HPE_HEADER_OVERFLOW',
    reason('HEADERS_TOO_LARGE', 'the headers are too large; send fewer or shorter ones'),
  ],
]);
const NO_TUNNELS = reason('METHOD_NOT_ALLOWED', 'CONNECT is not possible here; this is no proxy');

const requestIdOf = requestIds({ randomBytes: randomFillSync, clock: Date.now });

/** Answers a connection that broke the protocol, and ends it. */
export async function answerConnectionError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
): Promise<void> {
  if (!socket.writable || error.code === 'ECONNRESET' || isMidResponse(socket)) {
    socket.destroy();
    return;
  }
  const response = respond(failure(REASONS.get(error.code) ?? MALFORMED), ownExchange());
  socket.end(await messageOf(response));
}

/** CONNECT never reaches a request listener: without an answer its socket would just close. */
export async function answerConnect(socket: Duplex): Promise<void> {
  const allow = 'GET, POST, PATCH, DELETE, OPTIONS';
  socket.on('error', () => socket.destroy());
  socket.end(await messageOf(respond(failure(NO_TUNNELS, allow), ownExchange())));
}

/** For a request whose Host or target Node accepts and no URL can hold. */
export function malformedRequestResponse(): Response {
  return respond(failure(MALFORMED), ownExchange());
}

function reason(code: ErrorCode, message: string): Failure {
  return failed(code, message).failure;
}

/** What can be said of an exchange whose request cannot be read: no id and no origin came with it. */
function ownExchange(): Exchange {
  const requestId = requestIdOf({ headers: new Headers() });
  return { requestId, now: Date.now(), originHeaders: {} };
}

/** A response already under way cannot be taken back: a second one would be read as its body. */
function isMidResponse(socket: Duplex): boolean {
  const underWay = '_httpMessage' in socket ? socket._httpMessage : undefined;
  return underWay !== undefined && underWay !== null;
}

async function messageOf(response: Response): Promise<string> {
  const body = await response.text();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return (
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${headers}` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  );
}
