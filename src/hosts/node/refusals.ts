// Answers to bytes that are not a whole request: malformed, too large, too slow, or with a method
// that Node's parser does not know. Node would send only a status line; clients get the envelope.

import { randomFillSync } from 'node:crypto';
import { type IncomingMessage, METHODS as NODE_METHODS } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Answer, refusal } from '../../core/http/answer.js';
import { METHODS, originPolicy } from '../../core/http/cors.js';
import { toResponse } from '../../core/http/envelope.js';
import { requestIds } from '../../core/http/request-id.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { ApiResponse, OTHER } from './api-response.js';
import type { Connections } from './connections.js';

/** What Node reports of the bytes that it refuses. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

type Headers = IncomingMessage['headers'];

const MALFORMED = refusal(
  'BAD_REQUEST',
  'this is not a well-formed HTTP/1.1 request; check its target, headers and body framing',
);
const BY_CODE: Readonly<Record<string, Answer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: refusal(
    'REQUEST_TIMEOUT',
    'the request took too long to arrive; send it again',
  ),
  HPE_HEADER_OVERFLOW: refusal(
    'HEADERS_TOO_LARGE',
    'the headers are too large; send fewer or shorter ones',
  ),
};
const BAD_METHOD = refusal(
  'METHOD_NOT_ALLOWED',
  `this method is not possible here; send one of ${METHODS}`,
  METHODS,
);

/** The client ended the connection in the middle of its request, so it waits for no answer. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';
/** A client has this long to read a refusal and close; then the connection is cut. */
const LINGER_MS = 500;
/** RFC 9110, section 5.6.2; RFC 9112, sections 3 and 5: a head in origin form, without folding. */
const HEAD = /^([!#$%&'*+.^_`|~\w-]+) \/[!-~]* HTTP\/1\.[01]\r\n((?:[^\r\n:]+:[^\r\n]*\r\n)*)\r\n/;

export class Refusals {
  readonly #connections: Connections;
  readonly #events: ServiceEvents | undefined;
  readonly #originHeadersOf: ReturnType<typeof originPolicy>;
  readonly #requestIdOf = requestIds({ randomBytes: randomFillSync, clock: Date.now });
  readonly #refused = new WeakSet<Duplex>();

  constructor(
    connections: Connections,
    events: ServiceEvents | undefined,
    corsAllowedOrigins: readonly string[],
  ) {
    this.#connections = connections;
    this.#events = events;
    this.#originHeadersOf = originPolicy(corsAllowedOrigins);
  }

  /** Ends a connection that broke the protocol. Answers first if an answer is due. */
  refuse(error: ParserError, socket: Duplex): void {
    const code = error.code ?? '';
    // After broken bytes nothing on the connection can be parsed.
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    if (!socket.writable || code === 'ECONNRESET' || code === ENDED_EARLY) {
      socket.destroy();
      return;
    }
    const answer = BY_CODE[code] ?? MALFORMED;
    const newest = this.#connections.newest(socket);
    if (newest === undefined) {
      const headers = unknownMethod(error.rawPacket);
      this.#answerLast(socket, headers === undefined ? answer : BAD_METHOD, headers);
    } else if (newest.req.complete) {
      this.#answerLast(socket, answer);
    } else if (newest.headersSent) {
      afterAnswer(newest, () => end(socket));
    } else {
      // Its body broke: this is its own answer.
      (socket as Socket).destroySoon = () => end(socket);
      newest.begin = () => void this.send(newest, newest.req.headers, answer);
      // Else it is still to begin.
      if (newest.socket !== null) newest.begin(newest);
    }
  }

  /** CONNECT never reaches a request listener. Without this answer its socket would close silently. */
  refuseTunnel({ headers }: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    socket.resume();
    this.#answerLast(socket, BAD_METHOD, headers);
  }

  /** Answers in the envelope, and ends the connection. `headers`: those of the request that could be read. */
  async send(
    response: ApiResponse,
    headers: Headers,
    answer = MALFORMED,
    status?: number,
  ): Promise<void> {
    const given = new Headers();
    for (const name of ['x-request-id', 'origin']) {
      const value = headers[name];
      if (typeof value === 'string') given.set(name, value);
    }
    const refused = toResponse(answer, {
      requestId: this.#requestIdOf({ headers: given }),
      now: Date.now(),
      originHeaders: this.#originHeadersOf({ headers: given }),
    });
    const body = Buffer.from(await refused.arrayBuffer());
    const head = { ...Object.fromEntries(refused.headers), 'content-length': body.length };
    response.shouldKeepAlive = false;
    response.writeHead(status ?? refused.status, head).end(body);
  }

  /** Answers bytes that are no request, after the answers to the requests before them. */
  #answerLast(socket: Duplex, answer: Answer, headers: Headers = {}): void {
    afterAnswer(this.#connections.newest(socket), () => {
      if (!socket.writable) return;
      const request = { method: OTHER, httpVersionMajor: 1, httpVersionMinor: 1 };
      const response = new ApiResponse(request as IncomingMessage);
      response.measure(this.#events, socket);
      response.assignSocket(socket as Socket);
      response.once('finish', () => {
        response.detachSocket(socket as Socket);
        end(socket);
      });
      void this.send(response, headers, answer);
    });
  }
}

/** "So is a method that Node's parser doesn't know, where its head comes in one piece": the packet begins with it. Its headers. */
function unknownMethod(packet: Buffer | undefined): Headers | undefined {
  const [, method = '', fields = ''] = HEAD.exec(packet?.toString('latin1') ?? '') ?? [];
  // A known method means that the packet begins within a body, not with a request.
  if (method === '' || NODE_METHODS.includes(method)) return undefined;
  const pairs = [...fields.matchAll(/([^\r\n:]+):[ \t]*(.*?)[ \t]*\r\n/g)];
  return Object.fromEntries(pairs.map(([, name = '', value]) => [name.toLowerCase(), value]));
}

/** Node is done with a response once it is closed: its connection may have another one. */
function afterAnswer(response: ApiResponse | undefined, act: () => void): void {
  if (response === undefined || response.destroyed) act();
  else response.once('close', act);
}

function end(socket: Duplex): void {
  socket.end();
  // None of Node's time-outs applies to a half-closed connection.
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}
