// The operations port: live, ready, metrics, status and a backup on request, on an address
// that only this machine or its private network reaches. No part of the API's port.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { originOf } from './http-server.js';

const REQUEST_TIMEOUT_MS = 5_000;
/** Node's default of 30 s would let late requests hold their connections that long. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** Enough for some scrapers, a load balancer and a person. More connections are a mistake. */
const CONNECTIONS_MAX = 100;
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** An address, or a name that no public DNS has: a page of another site can't make a browser ask here. */
const OWN_HOST =
  /^(?:[\d.]+|\[[\da-f:.]+\]|[^.:]+|[^:]+\.(?:internal|local|localhost|svc))(?::\d+)?$/i;

export interface OperationsAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** By its method and path; called for every request, with what it sends as the admin key. */
export type OperationsPages = Readonly<
  Record<string, (adminKey: string | undefined) => OperationsAnswer | Promise<OperationsAnswer>>
>;

/** Resolves when the port is open, with `http://ADDRESS:PORT`. Rejects if the address cannot be used. */
export async function openOperationsPort(
  { host, port }: { readonly host: string; readonly port: number },
  pages: OperationsPages,
  onError: (error: unknown) => void,
): Promise<{ readonly origin: string; close(): void }> {
  const server = createServer(
    {
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    },
    async (request, response) => {
      const { status, type, text } = await answerTo(request, pages).catch((error: unknown) => {
        onError(error);
        return refusal(500, 'internal error; the log says why');
      });
      // So that no kept connections fill the port.
      response.shouldKeepAlive = false;
      const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
      response.writeHead(status, { 'Content-Type': type, ...headers }).end(text);
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  // Of a pipeline the others are refused: each page takes time from the service.
  server.maxRequestsPerSocket = 1;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    origin: originOf(server.address() as AddressInfo),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answerTo(
  { url = '', method, headers }: IncomingMessage,
  pages: OperationsPages,
): Promise<OperationsAnswer> {
  if (!OWN_HOST.test(headers.host ?? '')) {
    return refusal(403, "Host is a public name; use this machine's address");
  }
  const asked = `${method} ${url.replace(/\?.*$/, '')}`;
  const page = Object.hasOwn(pages, asked) ? pages[asked] : undefined;
  if (page !== undefined) return page(headers['x-service-admin-key']?.toString());
  return refusal(404, `no such page; there are ${Object.keys(pages).join(', ')}`);
}

function refusal(status: number, sentence: string): OperationsAnswer {
  return { status, type: TEXT_TYPE, text: `${sentence}\n` };
}
