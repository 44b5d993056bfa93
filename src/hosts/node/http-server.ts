// The handler on a port: Node's HTTP server with the contract's time-outs in
// force, and a way to stop that cuts no answer.

import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import {
  HEADER_READ_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_READ_TIMEOUT_MS,
} from '../../core/domain/limits.js';
import type { HostBindings } from '../../core/http/request-body.js';
import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { Arrivals } from './arrivals.js';
import { ConnectionErrors } from './connection-errors.js';
import { Connections, type Exchange } from './connections.js';
import { NO_TCP_SOCKET } from './held-socket.js';
import { incomingBody } from './incoming-body.js';
import type { MeteredExchange } from './metered-exchange.js';
import { faultOf, servedTarget } from './request-target.js';

/** Node looks for late headers and bodies at this interval. Its default of 30 s would make the time-outs useless. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** Node closes idle sockets 1 s after the advertised time, to avoid racing a new request. */
const KEEP_ALIVE_MARGIN_MS = 1_000;
/**
 * Listen backlog: connections that the kernel keeps until they are accepted. Linux takes at most
 * `net.core.somaxconn`. It drops a further one, whose client asks again after a second.
 */
const WAITING_CONNECTIONS_MAX = 4_096;
const DRAIN_CHECK_INTERVAL_MS = 50;
/**
 * With a socket that is handed over, a stop serves this much longer and says `Connection: close`.
 * A client that uses its connection in the meantime opens its next one at the next process. Closing an
 * idle connection at once could cut a request that is on its way.
 */
const LEAVE_MS = 1_000;

export interface HttpServerOptions {
  readonly handler: (request: Request, host: HostBindings) => Response | Promise<Response>;
  readonly host: string;
  readonly port: number;
  /** Descriptor of a listening socket, in place of `host` and `port`. */
  readonly socket?: number | undefined;
  readonly corsAllowedOrigins: readonly string[];
  readonly log: Log;
  /** Receives every request when its answer is written. Without it nothing is measured. */
  readonly events?: ServiceEvents | undefined;
  /** Learns of each new connection. */
  readonly arrivals?: Arrivals | undefined;
}

export interface HttpServer {
  /** `http://ADDRESS:PORT`, with the port that was picked. */
  readonly origin: string;
  /** The number of open connections. */
  readonly connectionCount: number;
  /** The number of requests whose answer is not yet written to its end. */
  readonly requestCount: number;
  /** Refuses new connections and resolves when the last answer is written, or cuts the rest at the deadline. */
  drain(deadlineMs: number): Promise<void>;
}

/** Resolves when the server listens. Rejects if the address cannot be used. */
export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  const { server, connections } = buildServer(options);
  // The kernel keeps connections for the next process, so this one can stop slowly.
  const leaveMs = options.socket === undefined ? 0 : LEAVE_MS;
  await new Promise<void>((resolve, reject) => {
    const { host, port, socket } = options;
    const where = socket === undefined ? { host, port } : { fd: socket };
    server.once('error', (error) =>
      reject(socket === undefined ? error : new Error(NO_TCP_SOCKET)),
    );
    server.listen({ ...where, backlog: WAITING_CONNECTIONS_MAX }, resolve);
  });
  const address = server.address();
  // A socket in the file system.
  if (address === null || typeof address === 'string') throw new Error(NO_TCP_SOCKET);
  return {
    origin: originOf(address),
    get connectionCount() {
      return connections.count;
    },
    get requestCount() {
      return connections.underWayCount;
    },
    drain: (deadlineMs) => drain(server, connections, { deadlineMs, leaveMs }),
  };
}

/**
 * Headers are sent with the first piece of the body, byte by byte. If they were flushed
 * alone, Node would write them as UTF-8: a byte above 7F of an echoed request id would
 * become two bytes.
 */
class BytewiseResponse extends ServerResponse {
  override flushHeaders(): void {}

  // For a client that has gone, Node would make headers, and an error with its stack, in vain.
  override writeHead(...rest: unknown[]): this {
    if (this.destroyed) return this;
    return (super.writeHead as (...all: unknown[]) => this).call(this, ...rest);
  }

  override end(...rest: unknown[]): this {
    if (this.destroyed) return this;
    return (super.end as (...all: unknown[]) => this).call(this, ...rest);
  }
}

/** Reports the end of its own writing. A listener for each response would cost time in every request. */
class MeteredResponse extends BytewiseResponse {
  metered: MeteredExchange | undefined;
  #headers: Readonly<Record<string, unknown>> | undefined;

  override writeHead(status: number, ...rest: unknown[]): this {
    const headers = rest.at(-1);
    if (typeof headers === 'object' && headers !== null)
      this.#headers = headers as Record<string, unknown>;
    return (super.writeHead as (...all: unknown[]) => this).call(this, status, ...rest);
  }

  /** Node calls this method when it has given the last byte to the system. */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    this.metered?.written();
  }

  get requestId(): string | undefined {
    const id = this.#headers?.['X-Request-ID'] ?? this.#headers?.['x-request-id'];
    return typeof id === 'string' ? id : undefined;
  }
}

function buildServer(options: HttpServerOptions): { server: Server; connections: Connections } {
  const { handler, log, events } = options;
  const answer = getRequestListener(
    (request, { incoming, outgoing }) =>
      handler(request, {
        readBody: incomingBody(incoming as IncomingMessage),
        isDisconnected: () => outgoing.destroyed,
        remoteAddress: () => incoming.socket.remoteAddress,
        exchange: outgoing instanceof MeteredResponse ? outgoing.metered : undefined,
      }),
    {
      hostname: 'localhost',
      // Sends no answer, because the request is not known here. The listener below sees that no
      // answer was sent.
      errorHandler: () => {},
      // This switch of node-server would cut off a client that still sends half a second after its answer.
      autoCleanupIncoming: false,
    },
  );
  const server = createServer({
    ServerResponse: events === undefined ? BytewiseResponse : MeteredResponse,
    headersTimeout: HEADER_READ_TIMEOUT_MS,
    requestTimeout: REQUEST_READ_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS - KEEP_ALIVE_MARGIN_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    // Node's own refusal has no envelope. `faultOf` looks for the Host.
    requireHostHeader: false,
  });
  const connections = new Connections(server, events);
  const errors = new ConnectionErrors({
    connections,
    corsAllowedOrigins: options.corsAllowedOrigins,
    handler: async (request, exchange) => handler(request, { exchange }),
  });
  options.arrivals?.watch(server);
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // While draining, clients must not send another request on this connection; and what
    // follows an Upgrade in the same packet never arrives, so its sender must send it again.
    if (!server.listening || connections.isEnding || incoming.headers.upgrade !== undefined) {
      outgoing.shouldKeepAlive = false;
    }
    connections.add({ request: incoming, response: outgoing, begin });
  };
  const begin = async (exchange: Exchange) => {
    const { request: incoming, response: outgoing } = exchange;
    exchange.metered = meteredExchange(connections, incoming, outgoing);
    try {
      incoming.url = servedTarget(incoming);
      const fault = faultOf(incoming);
      if (fault === undefined) await answer(incoming, outgoing);
      if (outgoing.headersSent || outgoing.destroyed) return;
      const answered = errors.malformed(incoming);
      if (fault?.endsConnection) outgoing.shouldKeepAlive = false;
      const body = Buffer.from(await answered.arrayBuffer());
      const headers = { ...Object.fromEntries(answered.headers), 'content-length': body.length };
      outgoing.writeHead(fault?.status ?? answered.status, headers);
      outgoing.end(body);
    } catch (error) {
      log.error('response_failed', error);
      outgoing.destroy();
    }
  };
  server.on('request', onRequest);
  // "A server MAY ignore" an expectation it does not know (RFC 9110, section 10.1.1).
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error, socket) => errors.refuse(error, socket));
  server.on('connect', (request, socket) => errors.refuseTunnel(request, socket));
  return { server, connections };
}

/** Undefined when nothing is measured. */
function meteredExchange(
  connections: Connections,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): MeteredExchange | undefined {
  if (!(outgoing instanceof MeteredResponse)) return undefined;
  outgoing.metered = connections.metered(incoming.socket, incoming, outgoing);
  return outgoing.metered;
}

async function drain(
  server: Server,
  connections: Connections,
  { deadlineMs, leaveMs }: { readonly deadlineMs: number; readonly leaveMs: number },
) {
  connections.endAfterAnswers();
  if (leaveMs > 0) await new Promise((end) => setTimeout(end, leaveMs));
  // The HTTP server's own `close` would cut answers that are complete and not yet read.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  // A kept-alive connection whose answer had begun before the stop would stay open.
  const idle = setInterval(() => {
    if (!connections.isWriting) server.closeIdleConnections();
  }, DRAIN_CHECK_INTERVAL_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
  connections.stop();
}

function originOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
