// The operations port: live, ready, metrics, status and a backup at once, on an address
// that only this machine or its private network reaches. No part of the API's port.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connections } from './connections.js';

const HEADERS_TIMEOUT_MS = 5_000;
/** Node's default of 30 s would let late heads hold their connections that long. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** Longer than the time between two scrapes, so that no scrape meets a closing connection. */
const KEEP_ALIVE_TIMEOUT_MS = 120_000;
/** Enough for some scrapers, a load balancer and a person. More connections are a mistake. */
const CONNECTIONS_MAX = 100;
/** From here on idle connections are closed, so that a probe always gets one. */
const CONNECTIONS_MANY = 80;

/** An address, or a name that no public DNS has: a page of another site can't make a browser ask here. */
const OWN_HOST =
  /^(?:[\d.]+|\[[\da-f:.]+\]|[^.:]+|[^:]+\.(?:internal|local|localhost|svc))(?::\d+)?$/i;

export interface OperationsAnswer {
  readonly status: 200 | 202 | 401 | 409 | 503;
  readonly type: string;
  readonly text: string;
}

export interface OperationsPage {
  /** The only method that is possible. */
  readonly method: 'GET' | 'POST';
  /** Created for every request; gets what the request sends as the admin key. */
  answer(adminKey: string | undefined): Promise<OperationsAnswer>;
}

/** By their paths. */
export type OperationsPages = ReadonlyMap<string, OperationsPage>;

export interface OperationsServer {
  /** `http://ADDRESS:PORT`, with the port that was picked. */
  readonly origin: string;
  close(): Promise<void>;
}

/** Resolves when the port is open. Rejects if the address can't be used. */
export async function openOperationsPort(
  { host, port }: { readonly host: string; readonly port: number },
  pages: OperationsPages,
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
      const begin = () =>
        void answer(pages, request, response).catch((error: unknown) => {
          onError(error);
          send(response, 500, 'text/plain; charset=utf-8', 'internal error; the log says why\n');
        });
      connections.add({ request, response, begin });
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

async function answer(
  pages: OperationsPages,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!OWN_HOST.test(request.headers.host ?? '')) {
    const text = "Host is a public name; use this machine's address\n";
    send(response, 403, 'text/plain; charset=utf-8', text);
    return;
  }
  const page = pages.get((request.url ?? '').replace(/\?.*$/, ''));
  if (page === undefined) {
    const paths = [...pages.keys()].join(', ');
    send(response, 404, 'text/plain; charset=utf-8', `no such page; there are ${paths}\n`);
    return;
  }
  if (request.method !== page.method) {
    response.setHeader('Allow', page.method);
    send(response, 405, 'text/plain; charset=utf-8', `only ${page.method} is possible here\n`);
    return;
  }
  const { status, type, text } = await page.answer(adminKeyOf(request));
  send(response, status, type, text);
}

function adminKeyOf({ headers }: IncomingMessage): string | undefined {
  const given = headers['x-service-admin-key'];
  return Array.isArray(given) ? given.join() : given;
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.headersSent) return;
  response.writeHead(status, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}

function originOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
