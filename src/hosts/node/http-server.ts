// Serves the handler on a port: Node's HTTP server with the contract's time-outs.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import {
  HEADER_READ_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_READ_TIMEOUT_MS,
} from '../../core/domain/limits.js';
import type { HostBindings } from '../../core/http/host-bindings.js';
import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { addressProblem } from '../settings/addresses.js';
import type { Settings } from '../settings.js';
import { ApiResponse } from './api-response.js';
import { Connections } from './connections.js';
import { incomingBody } from './incoming-body.js';
import { protocolErrorHandlers } from './protocol-errors.js';
import { headErrorStatus, targetToServe } from './request-target.js';
import { NO_TCP_SOCKET } from './systemd-socket.js';

/** Node checks for late headers and bodies at this interval. Its default of 30 s would make the time-outs useless. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** Node closes idle sockets this long after the time that it advertises, to avoid racing a new request. */
const KEEP_ALIVE_MARGIN_MS = 1_000;
/**
 * Linux caps it at `net.core.somaxconn`, and drops further connections, whose clients retry after a
 * second.
 */
const LISTEN_BACKLOG = 4_096;

export interface HttpServerOptions {
  readonly handler: (request: Request, host: HostBindings) => Response | Promise<Response>;
  readonly settings: Pick<Settings, 'host' | 'port' | 'corsAllowedOrigins'>;
  /** Descriptor of a listening socket, in place of `host` and `port`. */
  readonly socket?: number | undefined;
  readonly log: Log;
  /** Receives every request once its response is written. If absent, nothing is measured. */
  readonly events?: ServiceEvents | undefined;
}

/** Resolves when the server listens, with `http://ADDRESS:PORT`. Rejects with one sentence if the address cannot be used. */
export async function listen(options: HttpServerOptions) {
  const { settings, socket } = options;
  const { server, connections } = buildServer(options);
  const { host, port } = settings;
  const where = socket === undefined ? { host, port } : { fd: socket };
  server.listen({ ...where, backlog: LISTEN_BACKLOG });
  await once(server, 'listening').catch((error: Error) => {
    if (socket !== undefined) throw new Error(NO_TCP_SOCKET);
    throw new Error(`the service cannot listen on ${host}:${port}: ${addressProblem(error)}`);
  });
  // Emitted when file descriptors run out; the connection is refused.
  server.on('error', () => {});
  const address = server.address();
  // A string is the path of a Unix socket.
  if (address === null || typeof address === 'string') throw new Error(NO_TCP_SOCKET);
  return { origin: originOf(address), server, connections };
}

function buildServer(options: HttpServerOptions) {
  const { handler, log, events } = options;
  const callHandler = getRequestListener(
    (request, { incoming, outgoing }) =>
      handler(request, {
        readBody: incomingBody(incoming as IncomingMessage),
        isDisconnected: () => outgoing.destroyed,
        remoteAddress: () => incoming.socket.remoteAddress,
        exchange: outgoing as ApiResponse,
      }),
    {
      hostname: 'localhost',
      // Called if the target makes no `Request`; `handle` knows the head, and refuses it.
      errorHandler: () => {},
      // Otherwise node-server cuts off a client that still sends half a second after its response.
      autoCleanupIncoming: false,
    },
  );
  const server = createServer({
    ServerResponse: ApiResponse,
    headersTimeout: HEADER_READ_TIMEOUT_MS,
    requestTimeout: REQUEST_READ_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS - KEEP_ALIVE_MARGIN_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    // Node's own error response has no envelope. `headErrorStatus` checks the Host.
    requireHostHeader: false,
  });
  const connections = new Connections(server, events);
  const { refuse, refuseBytes, refuseTunnel } = protocolErrorHandlers(connections, options);
  const handle = async (response: ApiResponse) => {
    const { req: request } = response;
    try {
      request.url = targetToServe(request);
      const errorStatus = headErrorStatus(request);
      if (errorStatus === undefined) await callHandler(request, response);
      if (!response.headersSent && !response.isOver) await refuse(response, undefined, errorStatus);
    } catch (error) {
      log.error('response_failed', error);
      response.destroy();
    }
  };
  const onRequest = (request: IncomingMessage, response: ApiResponse) => {
    // What follows an Upgrade in the same packet never arrives, so the client must send it again.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    response.handle = handle;
    connections.add(response);
  };
  server.on('request', onRequest);
  // "A server MAY ignore" an expectation it doesn't know (RFC 9110, section 10.1.1).
  server.on('checkExpectation', onRequest);
  server.on('clientError', refuseBytes);
  server.on('connect', refuseTunnel);
  return { server, connections };
}

/** `http://ADDRESS:PORT` */
export function originOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
