// Answers to bytes that are not a whole request: malformed, too large, too slow, or with a method
// that Node's parser doesn't know. Node would send only a status line; clients get the envelope.

import { randomFillSync } from 'node:crypto';
import { type IncomingMessage, METHODS as NODE_METHODS } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { METHODS, originPolicy } from '../../core/http/cors.js';
import { type HandlerResult, refusal, toResponse } from '../../core/http/envelope.js';
import { requestIds } from '../../core/http/request-id.js';
import { ApiResponse, OTHER } from './api-response.js';
import type { Connections } from './connections.js';

/** What Node reports of the bytes that it refuses. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };
type Sent = IncomingMessage['headers'];

const MALFORMED = refusal(
  'BAD_REQUEST',
  'this is not a well-formed HTTP/1.1 request; check its target, headers and body framing',
);
const BAD_METHOD = refusal('METHOD_NOT_ALLOWED', `method not allowed; use ${METHODS}`, METHODS);
/** By the code of Node's error; the others are malformed. */
const ANSWERS: Readonly<Record<string, HandlerResult>> = {
  ERR_HTTP_REQUEST_TIMEOUT: refusal('REQUEST_TIMEOUT', 'the request took too long; send it again'),
  HPE_HEADER_OVERFLOW: refusal('HEADERS_TOO_LARGE', 'the headers are too large; shorten them'),
};
/** The client is gone, or ended its side in the middle of its request: it waits for no answer. */
const GONE = ['ECONNRESET', 'HPE_INVALID_EOF_STATE'];
/** A client has this long to read a refusal and close; then the connection is cut. */
const LINGER_MS = 500;
/** RFC 9110, section 5.6.2; RFC 9112, sections 3 and 5: a head in origin form, without folding. */
const HEAD = /^([!#$%&'*+.^_`|~\w-]+) \/[!-~]* HTTP\/1\.[01]\r\n((?:[^\r\n:]+:[^\r\n]*\r\n)*)\r\n/;

export function refusals(connections: Connections, corsAllowedOrigins: readonly string[]) {
  const originHeadersOf = originPolicy(corsAllowedOrigins);
  const requestIdOf = requestIds({ randomBytes: randomFillSync, clock: Date.now });
  const refused = new WeakSet<Duplex>();

  /** Answers in the envelope, and ends the connection. `sent`: the request's headers, as far as they could be read. */
  async function send(response: ApiResponse, sent: Sent, answer = MALFORMED, status?: number) {
    const headers = { get: (name: string) => sent[name]?.toString() ?? null } as Headers;
    const [requestId, originHeaders] = [requestIdOf({ headers }), originHeadersOf({ headers })];
    const whole = toResponse(answer, { requestId, now: Date.now(), originHeaders });
    const body = Buffer.from(await whole.arrayBuffer());
    const head = { ...Object.fromEntries(whole.headers), 'content-length': body.length };
    response.shouldKeepAlive = false;
    response.writeHead(status ?? whole.status, head).end(body);
  }

  /** Answers bytes that aren't a request, after the answers to the requests before them. */
  function answerLast(socket: Duplex, answer: HandlerResult, sent: Sent = {}): void {
    afterAnswer(connections.newest(socket), () => {
      if (!socket.writable) return;
      const request = { method: OTHER, httpVersionMajor: 1, httpVersionMinor: 1 };
      const response = new ApiResponse(request as IncomingMessage);
      response.measure(connections.events, socket);
      response.assignSocket(socket as Socket);
      response.once('finish', () => {
        response.detachSocket(socket as Socket);
        end(socket);
      });
      void send(response, sent, answer);
    });
  }

  /** Ends a connection that broke the protocol. Answers first if an answer is due. */
  function refuse({ code = '', rawPacket }: ParserError, socket: Duplex): void {
    // After broken bytes nothing on the connection can be parsed.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (!socket.writable || GONE.includes(code)) return void socket.destroy();
    const answer = ANSWERS[code] ?? MALFORMED;
    const newest = connections.newest(socket);
    if (newest === undefined || newest.req.complete) {
      const sent = newest === undefined ? unknownMethod(rawPacket) : undefined;
      answerLast(socket, sent === undefined ? answer : BAD_METHOD, sent);
    } else if (newest.headersSent) {
      afterAnswer(newest, () => end(socket));
    } else {
      // Its body broke: this is its own answer.
      (socket as Socket).destroySoon = () => end(socket);
      newest.begin = () => void send(newest, newest.req.headers, answer);
      // Without a socket it waits for the answers before it.
      if (newest.socket !== null) newest.begin(newest);
    }
  }

  /** CONNECT never reaches a request listener. Without this answer its socket would close silently. */
  function refuseTunnel({ headers }: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    socket.resume();
    answerLast(socket, BAD_METHOD, headers);
  }

  return { send, refuse, refuseTunnel };
}

/** "So is a method that Node's parser doesn't know, where its head comes in one piece": the packet begins with it. Its headers. */
function unknownMethod(packet: Buffer | undefined): Sent | undefined {
  const [, method = '', fields = ''] = HEAD.exec(packet?.toString('latin1') ?? '') ?? [];
  // A known method means that the packet begins within a body, not with a request.
  if (method === '' || NODE_METHODS.includes(method)) return undefined;
  const pairs = fields.matchAll(/([^\r\n:]+):[ \t]*(.*?)[ \t]*\r\n/g);
  return Object.fromEntries([...pairs].map(([, name = '', value]) => [name.toLowerCase(), value]));
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
