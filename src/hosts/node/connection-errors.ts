// Answers to input that is not a whole request: malformed bytes, headers too large,
// headers or a body too slow. Node would send a status line alone; here clients get the
// envelope.

import { randomFillSync } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FairScheduler } from '../../core/admission/fair-scheduler.js';
import { type ErrorCode, type Failure, failed } from '../../core/domain/errors.js';
import { type Answer, failure } from '../../core/http/answer.js';
import { METHODS, originPolicy } from '../../core/http/cors.js';
import { respond } from '../../core/http/envelope.js';
import { requestIds } from '../../core/http/request-id.js';
import type { Connections, Exchange } from './connections.js';
import type { MeteredExchange } from './metered-exchange.js';
import type { Fault } from './request-target.js';
import { type Gathered, type ParserError, requestOfUnknownMethod } from './unknown-method.js';

const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';
const MALFORMED = reason(
  'BAD_REQUEST',
  'this is not a well-formed HTTP/1.1 request; check its target, headers and body framing',
);
const UNKNOWN_METHOD = reason(
  'BAD_REQUEST',
  `this does not begin with a method that is known here; send HTTP/1.1 with one of ${METHODS}`,
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
  ['HPE_INVALID_METHOD', UNKNOWN_METHOD],
]);
const NO_TUNNELS = reason('METHOD_NOT_ALLOWED', 'CONNECT is not possible here; this is no proxy');

/** A client has this long to read a refusal and close; then the connection is cut. */
const LINGER_MS = 500;

export interface ConnectionErrorsOptions {
  readonly connections: Connections;
  /** Spreads the refusals of many clients that break off at once: other requests come between them. */
  readonly scheduler: FairScheduler;
  readonly corsAllowedOrigins: readonly string[];
  /** If only the method is unknown to Node's parser, the handler answers the request. */
  readonly handler: UnknownMethodHandler;
}

export class ConnectionErrors {
  readonly #originHeadersOf: ReturnType<typeof originPolicy>;
  readonly #requestIdOf = requestIds({ randomBytes: randomFillSync, clock: Date.now });
  readonly #connections: Connections;
  readonly #scheduler: FairScheduler;
  readonly #handler: UnknownMethodHandler;
  readonly #refused = new WeakSet<Duplex>();

  constructor({ connections, scheduler, corsAllowedOrigins, handler }: ConnectionErrorsOptions) {
    this.#connections = connections;
    this.#scheduler = scheduler;
    this.#handler = handler;
    this.#originHeadersOf = originPolicy(corsAllowedOrigins);
  }

  /** Ends a connection that broke the protocol. Answers first if an answer is due. */
  refuse(error: ParserError, socket: Duplex): void {
    // After broken bytes nothing on the connection can be parsed.
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    // With its client's side Node would end the connection, before this answer.
    if (this.#connections.underWay(socket).length === 0) socket.removeAllListeners('end');
    const unknown = requestOfUnknownMethod(error, socket);
    const refusal = unknown ? this.#answerTo(unknown) : this.#refusalOf(error.code);
    const newest = this.#connections.newest(socket);
    // The client ended the connection in the middle of its request, so it waits for no answer.
    if (error.code === ENDED_EARLY) newest?.metered?.cut();
    const metered = this.#connections.metered(socket);
    if (newest === undefined) this.#end(socket, refusal, undefined, metered);
    else this.#endAfter(newest, socket, refusal, metered);
  }

  /** CONNECT never reaches a request listener. Without this answer its socket would close silently. */
  refuseTunnel(request: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    socket.resume();
    const metered = this.#connections.metered(socket, request);
    const refusal = this.#refusal(failure(NO_TUNNELS, METHODS));
    const end = () => this.#end(socket, refusal, request, metered);
    const before = this.#connections.newest(socket)?.response;
    if (before === undefined || before.writableFinished) end();
    else before.once('close', end);
  }

  /** Answers a request with a fault that Node accepts, or a Host or target that no URL can contain. */
  async answerMalformed(
    request: IncomingMessage,
    response: ServerResponse,
    fault?: Fault,
  ): Promise<void> {
    const { status, headers, body } = await this.#message(failure(MALFORMED), request);
    if (fault?.endsConnection) response.shouldKeepAlive = false;
    response.writeHead(fault?.status ?? status, headers);
    response.end(body);
  }

  /** Earlier answers are sent first, and no request gets two answers. */
  #endAfter(newest: Exchange, socket: Duplex, refusal: Refusal, metered?: MeteredExchange): void {
    const { request, response } = newest;
    if (!request.complete && !response.headersSent) {
      const answer = () => this.#end(socket, refusal, request, newest.metered);
      // A response without a socket waits for the responses of earlier requests.
      if (response.socket === null) response.once('socket', answer);
      else answer();
      return;
    }
    const end = () => this.#end(socket, request.complete ? refusal : undefined, undefined, metered);
    if (response.writableFinished) end();
    else response.once('close', end);
  }

  async #end(
    socket: Duplex,
    refusal: Refusal | undefined,
    request?: IncomingMessage,
    metered?: MeteredExchange,
  ) {
    await this.#scheduler.admit('');
    const message = await refusal?.(request, metered);
    if (socket.writable) socket.end(message === undefined ? '' : serialized(message));
    if (message !== undefined) metered?.refused(message.status);
    // None of Node's time-outs applies to a half-closed connection.
    const cut = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(cut));
  }

  #answerTo(unknown: Promise<Gathered>): Refusal {
    return async (request, metered) => {
      const gathered = await unknown;
      if (typeof gathered === 'string') return this.#refusalOf(gathered)(request, metered);
      return messageOf(await this.#handler(gathered, metered));
    };
  }

  #refusalOf(code: string | undefined): Refusal {
    return this.#refusal(failure(REASONS.get(code) ?? MALFORMED));
  }

  #refusal(answer: Answer): Refusal {
    return (request) => this.#message(answer, request);
  }

  async #message(answer: Answer, request?: IncomingMessage): Promise<Message> {
    const known = { headers: exchangeHeaders(request) };
    return messageOf(
      respond(answer, {
        requestId: this.#requestIdOf(known),
        now: Date.now(),
        originHeaders: this.#originHeadersOf(known),
      }),
    );
  }
}

/** Makes the last message of a connection. `request`: the part of the request that could be read. */
type Refusal = (request?: IncomingMessage, metered?: MeteredExchange) => Promise<Message>;

type UnknownMethodHandler = (request: Request, metered?: MeteredExchange) => Promise<Response>;

interface Message {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

async function messageOf(response: Response): Promise<Message> {
  const body = Buffer.from(await response.arrayBuffer());
  const headers = { ...Object.fromEntries(response.headers), 'content-length': `${body.length}` };
  return { status: response.status, headers, body };
}

function reason(code: ErrorCode, message: string): Failure {
  return failed(code, message).failure;
}

/** The request headers that the answer depends on, as far as they could be read. */
function exchangeHeaders(request: IncomingMessage | undefined): Headers {
  const headers = new Headers();
  for (const name of ['x-request-id', 'origin']) {
    const value = request?.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return headers;
}

function serialized({ status, headers, body }: Message): Buffer {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `date: ${new Date().toUTCString()}`,
    'connection: close',
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}
