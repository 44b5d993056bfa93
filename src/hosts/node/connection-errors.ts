// Answers to bytes that are not a whole request: malformed, too large, too slow, or with a method
// that Node's parser does not know. Node would send only a status line; clients get the envelope.

import { randomFillSync } from 'node:crypto';
import { type IncomingMessage, METHODS as NODE_METHODS, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, failed } from '../../core/domain/errors.js';
import { type Answer, failure } from '../../core/http/answer.js';
import { METHODS, originPolicy } from '../../core/http/cors.js';
import { respond } from '../../core/http/envelope.js';
import { requestIds } from '../../core/http/request-id.js';
import type { Connections, Exchange } from './connections.js';
import type { MeteredExchange } from './metered-exchange.js';

/** What Node reports of the bytes that it refuses. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

const MALFORMED = reason(
  'BAD_REQUEST',
  'this is not a well-formed HTTP/1.1 request; check its target, headers and body framing',
);
const REASONS: ReadonlyMap<string | undefined, Answer> = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    reason('REQUEST_TIMEOUT', 'the request took too long to arrive; send it again'),
  ],
  [
    'HPE_HEADER_OVERFLOW',
    reason('HEADERS_TOO_LARGE', 'the headers are too large; send fewer or shorter ones'),
  ],
  [
    'HPE_INVALID_METHOD',
    reason('BAD_REQUEST', `the method is unknown; send HTTP/1.1 with one of ${METHODS}`),
  ],
]);
const NO_TUNNELS = failure(
  failed('METHOD_NOT_ALLOWED', 'CONNECT is not possible here; this is not a proxy').failure,
  METHODS,
);

/** The client ended the connection in the middle of its request, so it waits for no answer. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';
/** A client has this long to read a refusal and close; then the connection is cut. */
const LINGER_MS = 500;

/** RFC 9110, section 5.6.2; RFC 9112, sections 3 and 5: a head in origin form, without folding. */
const HEAD =
  /^([!#$%&'*+.^_`|~\w-]+) (\/[!-~]*) HTTP\/1\.[01]\r\n((?:[^\r\n:]+:[^\r\n]*\r\n)*)\r\n/;

export interface ConnectionErrorsOptions {
  readonly connections: Connections;
  readonly corsAllowedOrigins: readonly string[];
  /** Answers a request of which Node's parser only doesn't know the method. */
  readonly handler: (request: Request, metered?: MeteredExchange) => Promise<Response>;
}

export class ConnectionErrors {
  readonly #options: ConnectionErrorsOptions;
  readonly #originHeadersOf: ReturnType<typeof originPolicy>;
  readonly #requestIdOf = requestIds({ randomBytes: randomFillSync, clock: Date.now });
  readonly #refused = new WeakSet<Duplex>();

  constructor(options: ConnectionErrorsOptions) {
    this.#options = options;
    this.#originHeadersOf = originPolicy(options.corsAllowedOrigins);
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
    const { connections, handler } = this.#options;
    const newest = connections.newest(socket);
    // Else the bytes after it are broken.
    const broken = newest?.request.complete ? undefined : newest;
    if (broken?.response.headersSent) {
      afterAnswer(broken, () => end(socket));
      return;
    }
    const metered = broken?.metered ?? connections.metered(socket);
    const unknown = newest === undefined ? requestOfUnknownMethod(error) : undefined;
    if (unknown !== undefined) {
      void handler(unknown, metered).then((answer) => end(socket, answer, metered));
      return;
    }
    const refusal = REASONS.get(error.code) ?? MALFORMED;
    afterAnswer(broken === undefined ? newest : connections.underWay(socket).at(-2), () =>
      end(socket, this.#response(refusal, broken?.request), metered),
    );
  }

  /** CONNECT never reaches a request listener. Without this answer its socket would close silently. */
  refuseTunnel(request: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    socket.resume();
    const { connections } = this.#options;
    const metered = connections.metered(socket, request);
    afterAnswer(connections.newest(socket), () =>
      end(socket, this.#response(NO_TUNNELS, request), metered),
    );
  }

  /** The answer to a request with a fault that Node accepts, or a Host or target that no URL can contain. */
  malformed(request: IncomingMessage): Response {
    return this.#response(MALFORMED, request);
  }

  /** `request`: the part of the request that could be read. */
  #response(answer: Answer, request?: IncomingMessage): Response {
    const headers = new Headers();
    for (const name of ['x-request-id', 'origin']) {
      const value = request?.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    return respond(answer, {
      requestId: this.#requestIdOf({ headers }),
      now: Date.now(),
      originHeaders: this.#originHeadersOf({ headers }),
    });
  }
}

function reason(code: ErrorCode, message: string): Answer {
  return failure(failed(code, message).failure);
}

/** "So is a method that Node's parser doesn't know, where its head comes in one piece": the packet begins with it. */
function requestOfUnknownMethod({ code, rawPacket }: ParserError): Request | undefined {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return undefined;
  const [, method = '', target = '', fields = ''] = HEAD.exec(rawPacket.toString('latin1')) ?? [];
  // A known method means that the packet begins within a body, not with a request.
  if (method === '' || NODE_METHODS.includes(method)) return undefined;
  try {
    const headers = new Headers();
    for (const field of fields.split('\r\n').slice(0, -1)) {
      const colon = field.indexOf(':');
      headers.append(field.slice(0, colon), field.slice(colon + 1).trim());
    }
    // The constructor would turn `get` into `GET`, but methods are case-sensitive (RFC 9110, section 9.1).
    const request = new Request(`http://localhost${target}`, { headers });
    return Object.defineProperty(request, 'method', { value: method });
  } catch {
    return undefined;
  }
}

/** Earlier answers are sent first, and no request gets two answers. */
function afterAnswer(exchange: Exchange | undefined, act: () => void): void {
  if (exchange === undefined || exchange.response.writableFinished) act();
  else exchange.response.once('close', act);
}

/** Ends a connection, with a last message or without. */
async function end(socket: Duplex, answer?: Response, metered?: MeteredExchange): Promise<void> {
  if (answer === undefined) socket.end();
  else await write(socket, answer, metered);
  // None of Node's time-outs applies to a half-closed connection.
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}

async function write(socket: Duplex, response: Response, metered?: MeteredExchange): Promise<void> {
  const { status, headers } = response;
  const body = Buffer.from(await response.arrayBuffer());
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    `date: ${new Date().toUTCString()}`,
    'connection: close',
  ];
  if (socket.writable) {
    socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]));
  }
  metered?.refused(status);
}
