// Answers that are not read: contract, "Limits" (response write time-out 15 s),
// so that a client cannot hold an answer's memory for ever.

import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Connections } from '../../src/hosts/node/connections.js';
import { onLoopback } from '../support/loopback.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, type RawConnection, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const CUSTOMERS = '/api/v1/customers';
const MINE = bearer('reader');
/** Their sum is above what the buffers between two processes hold: Linux lets them grow to 37 MB. */
const RECORDS = 48;

let service: NodeService;
let server: ServerProcess;
/** One that is stopped while its client does not read. */
let stopped: NodeService;
let stoppedServer: ServerProcess;

beforeAll(async () => {
  service = await openNodeService();
  server = await service.start();
  stopped = await openNodeService();
  stoppedServer = await stopped.start();
  await Promise.all([fill(server), fill(stoppedServer)]);
});
afterAll(async () => {
  await service.close();
  await stopped.close();
});

async function fill({ origin }: ServerProcess): Promise<void> {
  const record = JSON.stringify({ name: 'a', phone: '1', note: 'x'.repeat(900_000) });
  for (let i = 0; i < RECORDS; i++) {
    await openRaw(origin, requestText('POST', CUSTOMERS, [MINE, 'Connection: close'], record)).over;
  }
}

/** Asks for all of it, reads the first piece, and then no more. */
async function askAndNotRead(origin: string, headers: readonly string[] = []) {
  const path = `${CUSTOMERS}?page_size=100`;
  const connection = openRaw(origin, requestText('GET', path, [MINE, ...headers]));
  await connection.until(({ received }) => received() !== '');
  connection.socket.pause();
  return connection;
}

/** A side that does not read learns of a reset when it sends. */
function probe(connection: RawConnection, bytes: string): void {
  const timer = setInterval(() => connection.send(bytes), 100);
  connection.over.then(() => clearInterval(timer));
}

it.concurrent('A client that never reads its answer is reset at 15 s', async () => {
  const connection = await askAndNotRead(server.origin);
  // Empty lines before a request line mean nothing.
  probe(connection, '\r\n');
  const { afterMs, reset } = await connection.over;
  expect(reset).toBe(true);
  expect(afterMs).toBeGreaterThan(14_500);
});

it.concurrent('A stop does not wait for a client that never reads', async () => {
  const connection = await askAndNotRead(stoppedServer.origin);
  // The same client of a server that goes on is the clock: it is reset at 15 s.
  const witness = await askAndNotRead(server.origin);
  probe(witness, '\r\n');
  const startedAt = performance.now();
  const stopped = stoppedServer.stop();
  const first = await Promise.race([stopped, witness.over.then(() => 'the reset')]);
  expect(first).toBe(0);
  // Answers under way get 12 s.
  expect(performance.now() - startedAt).toBeGreaterThan(11_500);
  connection.socket.destroy();
  witness.socket.destroy();
});

it.concurrent('Nothing is kept of answers whose connection went before their turn', async () => {
  const pipelining = createServer((request, response) => {
    // The first one is never answered; the others wait for it.
    const begin = () => {
      if (request.url !== '/0') response.end('x'.repeat(1_000));
    };
    connections.add({ request, response, begin });
  });
  const connections = new Connections(pipelining);
  const { origin, close } = await onLoopback(pipelining);
  const requests = ['/0', '/1', '/2'].map((path) => requestText('GET', path)).join('');
  const connection = openRaw(origin, requests);
  await waitFor(() => connections.underWayCount === 3);
  connection.socket.destroy();
  await waitFor(() => connections.underWayCount === 0);
  connections.stop();
  await close();
});

/** Resolves when the condition holds; the test's time-out is the limit. */
async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
