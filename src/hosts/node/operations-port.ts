// The operations port: live, ready, metrics and status, on an address that only this machine or its
// private network can reach. Separate from the API's port.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../core/log.js';
import { EXPOSITION_TYPE } from '../operations/exposition.js';
import { addressProblem } from '../settings/addresses.js';
import type { Settings } from '../settings.js';
import { originOf } from './http-server.js';

const REQUEST_TIMEOUT_MS = 5_000;
/** Node's default of 30 s would let slow requests hold their connections that long. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** Enough for a few scrapers, a load balancer and a person. */
const CONNECTIONS_MAX = 100;

/** An address, or a name outside public DNS, so that no website can reach the port through a browser (DNS rebinding). */
const OWN_HOST =
  /^(?:[\d.]+|\[[\da-f:.]+\]|[^.:]+|[^:]+\.(?:internal|local|localhost|svc))(?::\d+)?$/i;

/** A string is in Prometheus' format; an object is sent as JSON. */
type Page = readonly [status: number, body: object | string];

export type Address = NonNullable<Settings['operations']['port']>;

/** Keyed by method and path, such as `GET /live`, which no inherited property matches. */
export type Pages = Readonly<Record<string, () => Page | Promise<Page>>>;

/** Resolves when the port is open, with `http://ADDRESS:PORT`. Rejects if the address cannot be used. */
export async function openOperationsPort({ host, port }: Address, pages: Pages, log: Log) {
  const timeouts = { headersTimeout: REQUEST_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
  const check = { connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS };
  const server = createServer({ ...timeouts, ...check }, async (request, response) => {
    const [status, body] = await pageFor(request, pages).catch((error: unknown): Page => {
      log.error('operations_page_failed', error);
      return [500, { error: 'internal error; the log says why' }];
    });
    const isText = typeof body === 'string';
    response.writeHead(status, {
      'Content-Type': isText ? EXPOSITION_TYPE : 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(isText ? body : `${JSON.stringify(body)}\n`);
  });
  server.maxConnections = CONNECTIONS_MAX;
  // A connection that can't be accepted is refused, as on the API's port.
  server.on('error', () => {});
  await once(server.listen(port, host), 'listening').catch((error: Error) => {
    const reason = addressProblem(error, 'OPS_');
    throw new Error(`the operations port cannot be opened on ${host}:${port}: ${reason}`);
  });
  return {
    origin: originOf(server.address() as AddressInfo),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function pageFor(
  { url = '', method, headers }: IncomingMessage,
  pages: Pages,
): Promise<Page> {
  if (!OWN_HOST.test(headers.host ?? '')) {
    return [403, { error: "Host is a public name; use this machine's address" }];
  }
  const page = pages[`${method} ${url.replace(/\?.*$/, '')}`];
  return page?.() ?? [404, { error: `no such page; use ${Object.keys(pages).join(', ')}` }];
}
