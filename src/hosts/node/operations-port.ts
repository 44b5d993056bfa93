// The operations port: live, ready, metrics, status and a backup on request, on an address
// that only this machine or its private network reaches. No part of the API's port.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connections } from './connections.js';
import { originOf } from './http-server.js';

const HEADERS_TIMEOUT_MS = 5_000;
/** Node's default of 30 s would let late heads hold their connections that long. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** Longer than the time between two scrapes, so that no scrape meets a closing connection. */
const KEEP_ALIVE_TIMEOUT_MS = 120_000;
/** Enough for some scrapers, a load balancer and a person. More connections are a mistake. */
const CONNECTIONS_MAX = 100;
/** From here on idle connections are closed, so that a probe always gets one. */
const CONNECTIONS_MANY = 80;
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** An address, or a name that no public DNS has: a page of another site can't make a browser ask here. */
const OWN_HOST =
  /^(?:[\d.]+|\[[\da-f:.]+\]|[^.:]+|[^:]+\.(?:internal|local|localhost|svc))(?::\d+)?$/i;

export interface OperationsAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export interface OperationsPage {
  /** The only method that is possible. */
  readonly method: 'GET' | 'POST';
  /** Called for every request, with what it sends as the admin key. */
  answer(adminKey: string | undefined): Promise<OperationsAnswer>;
}

export interface OperationsServer {
  /** `http://ADDRESS:PORT`, with the port that was picked. */
  readonly origin: string;
  close(): Promise<void>;
}

/** `pages`: by their paths. Resolves when the port is open. Rejects if the address cannot be used. */
export async function openOperationsPort(
  { host, port }: { readonly host: string; readonly port: number },
  pages: ReadonlyMap<string, OperationsPage>,
  onError: (error: unknown) => void,
): Promise<OperationsServer> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    },
    (request, response) => {
      const begin = async () => {
        const answer = await answerTo(request, response, pages).catch((error: unknown) => {
          onError(error);
          return refusal(500, 'internal error; the log says why');
        });
        send(response, answer);
      };
      connections.add({ request, response, begin: () => void begin() });
    },
  );
  // One page at a time for a connection: each takes time from the service.
  const connections = new Connections(server);
  server.maxConnections = CONNECTIONS_MAX;
  server.on('connection', () => {
    if (connections.count > CONNECTIONS_MANY) server.closeIdleConnections();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    origin: originOf(server.address() as AddressInfo),
    close: () =>
      new Promise((resolve) => {
        connections.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answerTo(
  { url = '', method, headers }: IncomingMessage,
  response: ServerResponse,
  pages: ReadonlyMap<string, OperationsPage>,
): Promise<OperationsAnswer> {
  if (!OWN_HOST.test(headers.host ?? '')) {
    return refusal(403, "Host is a public name; use this machine's address");
  }
  const page = pages.get(url.replace(/\?.*$/, ''));
  if (page === undefined)
    return refusal(404, `no such page; there are ${[...pages.keys()].join(', ')}`);
  if (method !== page.method) {
    response.setHeader('Allow', page.method);
    return refusal(405, `only ${page.method} is possible here`);
  }
  return page.answer(headers['x-service-admin-key']?.toString());
}

function refusal(status: number, sentence: string): OperationsAnswer {
  return { status, type: TEXT_TYPE, text: `${sentence}\n` };
}

function send(response: ServerResponse, { status, type, text }: OperationsAnswer): void {
  const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  response.writeHead(status, { 'Content-Type': type, ...headers }).end(text);
}
