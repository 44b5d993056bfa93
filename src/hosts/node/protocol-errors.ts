// Error responses to bytes that are not a complete request: malformed, too large, too slow, or with a
// method that Node's parser doesn't know. Node would send only a status line; clients get the envelope.

import { randomFillSync } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES } from 'node:http';
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
/** Keyed by the code of Node's error; any other error means a malformed request. */
const ERROR_BY_CODE: Readonly<Record<string, HandlerResult>> = {
  ERR_HTTP_REQUEST_TIMEOUT: refusal('REQUEST_TIMEOUT', 'request too slow; retry, or send less'),
  HPE_HEADER_OVERFLOW: refusal('HEADERS_TOO_LARGE', 'the headers are too large; shorten them'),
  // Browsers' `fetch` sends "patch" in small letters.
  HPE_INVALID_METHOD: BAD_METHOD,
};
/** The client disconnected, or closed its side in the middle of its request: it expects no response. */
const DISCONNECTED = ['ECONNRESET', 'HPE_INVALID_EOF_STATE'];
/** A client has this long to read the response and close; then the connection is destroyed. */
const LINGER_MS = 500;

const UNKNOWN = { route: OTHER_LABEL, method: OTHER_LABEL, requestId: undefined };
const NOT_A_REQUEST = { ...UNKNOWN, milliseconds: 0, aborted: false };

export function protocolErrorHandlers(
  connections: Connections,
  { events, settings }: Pick<HttpServerOptions, 'events' | 'settings'>,
) {
  const originHeadersOf = originPolicy(settings.corsAllowedOrigins);
  const requestIdOf = requestIds({ randomBytes: randomFillSync, clock: Date.now });
  const refused = new WeakSet<Duplex>();

  /** Writes the error in the envelope, and closes the connection. `received`: the request's headers, if known. */
  async function writeError(
    socket: Duplex,
    refusal: HandlerResult,
    received: IncomingHttpHeaders = {},
    status?: number,
  ) {
    const headers = { get: (name: string) => received[name]?.toString() ?? null } as Headers;
    const [requestId, originHeaders] = [requestIdOf({ headers }), originHeadersOf({ headers })];
    const response = toResponse(refusal, { requestId, now: Date.now(), originHeaders });
    const code = status ?? response.status;
    const body = Buffer.from(await response.arrayBuffer());
    const head = [
      `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
      ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
      `content-length: ${body.length}`,
      `date: ${new Date().toUTCString()}`,
      'connection: close\r\n\r\n',
    ];
    // Latin-1, because an echoed request id may contain any byte.
    const bytes = Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]);
    if (socket.writable) socket.write(bytes);
    closeAfterRead(socket);
    return { status: code, bytes: bytes.length };
  }

  /** Responds in place of the handler. */
  async function refuse(response: ApiResponse, refusal = MALFORMED, status?: number) {
    const { socket, headers } = response.req;
    refused.add(socket);
    // From now on the handler writes nothing.
    response.refusedWith = status ?? 400;
    response.refusedWith = (await writeError(socket, refusal, headers, status)).status;
  }

  /** Calls back once every request of the connection has its response; never if the connection closes before. */
  function afterResponses(socket: Duplex, callback: () => void): void {
    const newest = connections.newest(socket);
    if (newest === undefined || newest.closed) callback();
    else newest.once('close', callback);
  }

  /** Responds to bytes that aren't a request, after the responses to the requests before them. */
  function refuseLast(socket: Duplex, refusal: HandlerResult, received?: IncomingHttpHeaders) {
    afterResponses(socket, async () => {
      const { status, bytes } = await writeError(socket, refusal, received);
      events?.requestFinished({ ...NOT_A_REQUEST, status, bytes });
    });
  }

  /** Closes a connection after a protocol error, with a response if one is due. */
  function refuseBytes({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
    // After the first error nothing on the connection can be parsed.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (!socket.writable || DISCONNECTED.includes(code)) return void socket.destroy();
    const refusal = ERROR_BY_CODE[code] ?? MALFORMED;
    const newest = connections.newest(socket);
    if (newest === undefined || newest.req.complete) {
      refuseLast(socket, refusal);
    } else if (newest.headersSent) {
      afterResponses(socket, () => closeAfterRead(socket));
    } else {
      // The error is in its body, so this is its own response, now or in its turn.
      newest.handle = () => refuse(newest, refusal);
      if (newest.hasStarted) newest.handle(newest);
    }
  }

  /** Node doesn't emit CONNECT as a request, and without a listener closes its socket silently. */
  function refuseTunnel({ headers }: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    socket.resume();
    refuseLast(socket, BAD_METHOD, headers);
  }

  return { refuse, refuseBytes, refuseTunnel };
}

/** Closes the server's side, and destroys the socket if the client doesn't close. */
function closeAfterRead(socket: Duplex): void {
  socket.end();
  // None of Node's time-outs applies to a half-closed connection.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
