// Answers to bytes that are not a whole request: malformed, too large, too slow, or with a method
// that Node's parser does not know. Node would send only a status line; clients get the envelope.

import { randomFillSync } from 'node:crypto';
import { type IncomingMessage, METHODS as NODE_METHODS, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Answer, refusal } from '../../core/http/answer.js';
import { METHODS, originPolicy } from '../../core/http/cors.js';
import { toResponse } from '../../core/http/envelope.js';
import { requestIds } from '../../core/http/request-id.js';
import type { Connections, Exchange } from './connections.js';

/** What Node reports of the bytes that it refuses. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

const MALFORMED = refusal(
  'BAD_REQUEST',
  'this is not a well-formed HTTP/1.1 request; check its target, headers and body framing',
);
const TOO_SLOW = refusal('REQUEST_TIMEOUT', 'the request took too long to arrive; send it again');
const TOO_LARGE = refusal(
  'HEADERS_TOO_LARGE',
  'the headers are too large; send fewer or shorter ones',
);
const BAD_METHOD = refusal(
  'METHOD_NOT_ALLOWED',
  `the method is unknown; send one of ${METHODS}`,
  METHODS,
);
const NO_TUNNELS = refusal(
  'METHOD_NOT_ALLOWED',
  'CONNECT is not possible here; this is not a proxy',
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
  readonly #originHeadersOf: ReturnType<typeof originPolicy>;
  readonly #requestIdOf = requestIds({ randomBytes: randomFillSync, clock: Date.now });
  readonly #refused = new WeakSet<Duplex>();

  constructor(connections: Connections, corsAllowedOrigins: readonly string[]) {
    this.#connections = connections;
    this.#originHeadersOf = originPolicy(corsAllowedOrigins);
  }

  /** Ends a connection that broke the protocol. Answers first if an answer is due. */
  refuse(error: ParserError, socket: Duplex): void {
    // After broken bytes nothing on the connection can be parsed.
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    if (!socket.writable || error.code === 'ECONNRESET' || error.code === ENDED_EARLY) {
      socket.destroy();
      return;
    }
    const newest = this.#connections.newest(socket);
    // Else the bytes after it are broken.
    const broken = newest?.request.complete ? undefined : newest;
    if (broken?.response.headersSent) {
      afterAnswer(broken, () => end(socket));
      return;
    }
    const before = broken === undefined ? newest : this.#connections.underWay(socket).at(-2);
    const method = newest === undefined ? unknownMethod(error.rawPacket) : undefined;
    const answer = method === undefined ? answerTo(error.code) : BAD_METHOD;
    const headers = method ?? broken?.request.headers ?? {};
    this.#endWith(answer, headers, socket, before, broken);
  }

  /** CONNECT never reaches a request listener. Without this answer its socket would close silently. */
  refuseTunnel({ headers }: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    socket.resume();
    this.#endWith(NO_TUNNELS, headers, socket, this.#connections.newest(socket));
  }

  /** The answer to a request with a fault that Node accepts, or a Host or target that no URL can contain. */
  malformed({ headers }: IncomingMessage): Response {
    return this.#response(MALFORMED, headers);
  }

  /** Earlier answers are sent first, and no request gets two answers. */
  #endWith(
    answer: Answer,
    given: IncomingMessage['headers'],
    socket: Duplex,
    before: Exchange | undefined,
    broken?: Exchange,
  ): void {
    const metered = broken?.metered ?? this.#connections.metered(socket);
    afterAnswer(before, async () => {
      const response = this.#response(answer, given);
      await write(socket, response);
      metered?.finish(false, response.status);
      end(socket);
    });
  }

  /** `given`: the headers that could be read. */
  #response(answer: Answer, given: IncomingMessage['headers']): Response {
    const headers = new Headers();
    for (const name of ['x-request-id', 'origin']) {
      const value = given[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    const requestId = this.#requestIdOf({ headers });
    const originHeaders = this.#originHeadersOf({ headers });
    return toResponse(answer, { requestId, now: Date.now(), originHeaders });
  }
}

function answerTo(code: string | undefined): Answer {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return TOO_SLOW;
  return code === 'HPE_HEADER_OVERFLOW' ? TOO_LARGE : MALFORMED;
}

/** "So is a method that Node's parser doesn't know, where its head comes in one piece": the packet begins with it. Its headers. */
function unknownMethod(packet: Buffer | undefined): IncomingMessage['headers'] | undefined {
  const [, method = '', fields = ''] = HEAD.exec(packet?.toString('latin1') ?? '') ?? [];
  // A known method means that the packet begins within a body, not with a request.
  if (method === '' || NODE_METHODS.includes(method)) return undefined;
  const pairs = [...fields.matchAll(/^([^:]+):[ \t]*(.*?)[ \t]*\r$/gm)];
  return Object.fromEntries(pairs.map(([, name = '', value]) => [name.toLowerCase(), value]));
}

function afterAnswer(exchange: Exchange | undefined, act: () => void): void {
  if (exchange === undefined || exchange.response.writableFinished) act();
  else exchange.response.once('close', act);
}

function end(socket: Duplex): void {
  socket.end();
  // None of Node's time-outs applies to a half-closed connection.
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}

async function write(socket: Duplex, response: Response): Promise<void> {
  const { status, headers } = response;
  const body = Buffer.from(await response.arrayBuffer());
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    `date: ${new Date().toUTCString()}`,
    'connection: close',
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (socket.writable) socket.write(Buffer.concat([head, body]));
}
