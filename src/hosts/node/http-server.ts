// The handler on a port: Node's HTTP server with the contract's time-outs in force.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import {
  HEADER_READ_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_READ_TIMEOUT_MS,
} from '../../core/domain/limits.js';
import type { HostBindings } from '../../core/http/request-body.js';
import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { addressProblem } from '../settings/addresses.js';
import type { Settings } from '../settings.js';
import { ApiResponse } from './api-response.js';
import { Connections } from './connections.js';
import { incomingBody } from './incoming-body.js';
import { refusals } from './protocol-errors.js';
import { headErrorStatus, targetToServe } from './request-target.js';
import { NO_TCP_SOCKET } from './systemd-socket.js';

/** Node checks for late headers and bodies at this interval. Its default of 30 s would make the time-outs useless. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** Node closes idle sockets 1 s after the advertised time, to avoid racing a new request. */
const KEEP_ALIVE_MARGIN_MS = 1_000;
/**
 * Listen backlog; Linux takes at most `net.core.somaxconn`. It drops further connections, whose
 * clients retry after a second.
 */
const WAITING_CONNECTIONS_MAX = 4_096;

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
  server.listen({ ...where, backlog: WAITING_CONNECTIONS_MAX });
  await once(server, 'listening').catch((error: Error) => {
    if (socket !== undefined) throw new Error(NO_TCP_SOCKET);
    throw new Error(`the service cannot listen on ${host}:${port}: ${addressProblem(error)}`);
  });
  // Emitted when descriptors run out: the connection is refused.
  server.on('error', () => {});
  const address = server.address();
  // A socket in the file system.
  if (address === null || typeof address === 'string') throw new Error(NO_TCP_SOCKET);
  return { origin: originOf(address), server, connections };
}

function buildServer(options: HttpServerOptions) {
  const { handler, log, events } = options;
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
      // The request isn't known here, so `serve` sends the answer.
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
    // Node's own refusal has no envelope. `headErrorStatus` looks for the Host.
    requireHostHeader: false,
  });
  const connections = new Connections(server, events);
  const { refuse, refuseBytes, refuseTunnel } = refusals(connections, options);
  const serve = async (response: ApiResponse) => {
    const { req: request } = response;
    try {
      request.url = targetToServe(request);
      const fault = headErrorStatus(request);
      if (fault === undefined) await answer(request, response);
      if (!response.headersSent && !response.isOver) await refuse(response, undefined, fault);
    } catch (error) {
      log.error('response_failed', error);
      response.destroy();
    }
  };
  const onRequest = (request: IncomingMessage, response: ApiResponse) => {
    // What follows an Upgrade in the same packet never arrives, so the client must send it again.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    response.serve = serve;
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
