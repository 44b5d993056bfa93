// The handler on a port: Node's HTTP server with the contract's time-outs in
// force, and a way to stop that cuts no answer.

import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import {
  HEADER_READ_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_READ_TIMEOUT_MS,
} from '../../core/domain/limits.js';
import type { HostBindings } from '../../core/http/request-body.js';
import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { ApiResponse } from './api-response.js';
import { Connections } from './connections.js';
import { NO_TCP_SOCKET } from './held-socket.js';
import { incomingBody } from './incoming-body.js';
import { Refusals } from './refusals.js';
import { faultOf, servedTarget } from './request-target.js';

/** Node checks for late headers and bodies at this interval. Its default of 30 s would make the time-outs useless. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** Node closes idle sockets 1 s after the advertised time, to avoid racing a new request. */
const KEEP_ALIVE_MARGIN_MS = 1_000;
/**
 * Listen backlog; Linux takes at most `net.core.somaxconn`. It drops a further connection, whose
 * client asks again after a second.
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
  /** Called for every connection that is accepted. */
  readonly onConnection?: (() => void) | undefined;
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
  const { host, port, socket } = options;
  const { server, connections } = buildServer(options);
  await new Promise<void>((resolve, reject) => {
    const isHandedOver = socket !== undefined;
    server.once('error', (error) => reject(isHandedOver ? new Error(NO_TCP_SOCKET) : error));
    const where = isHandedOver ? { fd: socket } : { host, port };
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
    // The kernel keeps connections for the next process, so this one can stop slowly.
    drain: (deadlineMs) =>
      drain(server, connections, deadlineMs, socket === undefined ? 0 : LEAVE_MS),
  };
}

function buildServer(options: HttpServerOptions) {
  const { handler, log, events, onConnection } = options;
  const answer = getRequestListener(
    (request, { incoming, outgoing }) =>
      handler(request, {
        readBody: incomingBody(incoming as IncomingMessage),
        isDisconnected: () => outgoing.destroyed,
        remoteAddress: () => incoming.socket.remoteAddress,
        exchange: outgoing as ApiResponse,
      }),
    {
      hostname: 'localhost',
      // Sends no answer, because the request is not known here. `begin` sees that none was sent.
      errorHandler: () => {},
      // This switch of node-server would cut off a client that still sends half a second after its answer.
      autoCleanupIncoming: false,
    },
  );
  const server = createServer({
    ServerResponse: ApiResponse,
    headersTimeout: HEADER_READ_TIMEOUT_MS,
    requestTimeout: REQUEST_READ_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS - KEEP_ALIVE_MARGIN_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    // Node's own refusal has no envelope. `faultOf` looks for the Host.
    requireHostHeader: false,
  });
  if (onConnection !== undefined) server.on('connection', onConnection);
  const connections = new Connections(server, events);
  const refusals = new Refusals(connections, options.corsAllowedOrigins);
  const onRequest = (request: IncomingMessage, response: ApiResponse) => {
    // While draining, clients must not send another request on this connection; and what
    // follows an Upgrade in the same packet never arrives, so that its sender must send it again.
    if (!server.listening || connections.isEnding || request.headers.upgrade !== undefined) {
      response.shouldKeepAlive = false;
    }
    response.begin = begin;
    connections.add(response);
  };
  const begin = async (response: ApiResponse) => {
    const { req: request } = response;
    try {
      request.url = servedTarget(request);
      const fault = faultOf(request);
      if (fault === undefined) await answer(request, response);
      if (response.headersSent || response.destroyed) return;
      await refusals.send(response, request.headers, undefined, fault);
    } catch (error) {
      log.error('response_failed', error);
      response.destroy();
    }
  };
  server.on('request', onRequest);
  // "A server MAY ignore" an expectation it doesn't know (RFC 9110, section 10.1.1).
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error, socket) => refusals.refuse(error, socket));
  server.on('connect', (request, socket) => refusals.refuseTunnel(request, socket));
  return { server, connections };
}

async function drain(
  server: ReturnType<typeof buildServer>['server'],
  connections: Connections,
  deadlineMs: number,
  leaveMs: number,
): Promise<void> {
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

/** `http://ADDRESS:PORT` */
export function originOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
