// Answers to bytes that are not a whole request: malformed, too large, too slow, or with a method
// that Node's parser doesn't know. Node would send only a status line; clients get the envelope.

import { randomFillSync } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { METHODS, originPolicy } from '../../core/http/cors.js';
import { type HandlerResult, refusal, toResponse } from '../../core/http/envelope.js';
import { requestIds } from '../../core/http/request-id.js';
import { type ApiResponse, OTHER_LABEL } from './api-response.js';
import type { Connections } from './connections.js';
import type { HttpServerOptions } from './http-server.js';

const MALFORMED = refusal(
  'BAD_REQUEST',
  'this is not a well-formed HTTP/1.1 request; check its target, headers and body framing',
);
const BAD_METHOD = refusal(
  'METHOD_NOT_ALLOWED',
  `method not allowed; use ${METHODS}, in capitals`,
  METHODS,
);
/** Keyed by the code of Node's error; other requests are malformed. */
const ANSWERS: Readonly<Record<string, HandlerResult>> = {
  ERR_HTTP_REQUEST_TIMEOUT: refusal('REQUEST_TIMEOUT', 'the request took too long; send it again'),
  HPE_HEADER_OVERFLOW: refusal('HEADERS_TOO_LARGE', 'the headers are too large; shorten them'),
  // Browsers' `fetch` sends "patch" in small letters.
  HPE_INVALID_METHOD: BAD_METHOD,
};
/** The client is gone, or ended its side in the middle of its request: it waits for no answer. */
const GONE = ['ECONNRESET', 'HPE_INVALID_EOF_STATE'];
/** A client has this long to read a refusal and close; then the connection is cut. */
const LINGER_MS = 500;

const UNKNOWN = { route: OTHER_LABEL, method: OTHER_LABEL, requestId: undefined };
const NOT_A_REQUEST = { ...UNKNOWN, milliseconds: 0, aborted: false };

/** A request's headers, if they could be read. */
type Sent = IncomingMessage['headers'];

export function refusals(
  connections: Connections,
  { events, settings }: Pick<HttpServerOptions, 'events' | 'settings'>,
) {
  const originHeadersOf = originPolicy(settings.corsAllowedOrigins);
  const requestIdOf = requestIds({ randomBytes: randomFillSync, clock: Date.now });
  const refused = new WeakSet<Duplex>();

  /** Writes the answer in the envelope, and ends the connection. */
  async function answer(socket: Duplex, refusal: HandlerResult, sent: Sent = {}, status?: number) {
    const headers = { get: (name: string) => sent[name]?.toString() ?? null } as Headers;
    const [requestId, originHeaders] = [requestIdOf({ headers }), originHeadersOf({ headers })];
    const whole = toResponse(refusal, { requestId, now: Date.now(), originHeaders });
    const code = status ?? whole.status;
    const body = Buffer.from(await whole.arrayBuffer());
    const head = [
      `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
      ...[...whole.headers].map(([name, value]) => `${name}: ${value}`),
      `content-length: ${body.length}`,
      `date: ${new Date().toUTCString()}`,
      'connection: close\r\n\r\n',
    ];
    // Bytes, because an echoed request id may have any.
    const bytes = Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]);
    if (socket.writable) socket.write(bytes);
    end(socket);
    return { status: code, bytes: bytes.length };
  }

  /** Answers in place of the handler. */
  async function refuse(response: ApiResponse, refusal = MALFORMED, status?: number) {
    const { socket, headers } = response.req;
    refused.add(socket);
    // From now on the handler writes nothing.
    response.refusedWith = status ?? 400;
    response.refusedWith = (await answer(socket, refusal, headers, status)).status;
  }

  /** Calls back when every request of the connection has its answer. Not if the connection ends before that. */
  function afterAnswers(socket: Duplex, begin: () => void): void {
    const newest = connections.newest(socket);
    if (newest === undefined || newest.closed) begin();
    else newest.once('close', begin);
  }

  /** Answers bytes that aren't a request, after the answers to the requests before them. */
  function refuseLast(socket: Duplex, refusal: HandlerResult, sent?: Sent): void {
    afterAnswers(socket, async () => {
      const { status, bytes } = await answer(socket, refusal, sent);
      events?.requestFinished({ ...NOT_A_REQUEST, status, bytes });
    });
  }

  /** Ends a connection that broke the protocol. Answers first if an answer is due. */
  function refuseBytes({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
    // After broken bytes nothing on the connection can be parsed.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (!socket.writable || GONE.includes(code)) return void socket.destroy();
    const refusal = ANSWERS[code] ?? MALFORMED;
    const newest = connections.newest(socket);
    if (newest === undefined || newest.req.complete) {
      refuseLast(socket, refusal);
    } else if (newest.headersSent) {
      afterAnswers(socket, () => end(socket));
    } else {
      // Its body broke: this is its own answer, now or in its turn.
      newest.serve = () => refuse(newest, refusal);
      if (newest.hasStarted) newest.serve(newest);
    }
  }

  /** CONNECT never reaches a request listener. Without this answer its socket would close silently. */
  function refuseTunnel({ headers }: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    socket.resume();
    refuseLast(socket, BAD_METHOD, headers);
  }

  return { refuse, refuseBytes, refuseTunnel };
}

function end(socket: Duplex): void {
  socket.end();
  // None of Node's time-outs applies to a half-closed connection.
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}
