// Pipelined requests: they get their responses in order, and waiting ones are bounded, whether the
// client reads or not. Also the response write time-out (contract, "Limits": 15 s).

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../../src/core/domain/limits.js';
import { ApiResponse } from '../../src/hosts/node/api-response.js';
import { Connections } from '../../src/hosts/node/connections.js';
import { type LocalServer, listenLocally } from '../support/listen.js';
import { openRaw } from '../support/raw-http.js';

let server: Server<typeof IncomingMessage, typeof ApiResponse>;
let loopback: LocalServer;
let connections: Connections;
/** The requests that have started; a test responds to them. */
let begun: ApiResponse[];

beforeEach(async () => {
  // Fakes only what the deadline depends on.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  begun = [];
  server = createServer({ requireHostHeader: false, ServerResponse: ApiResponse });
  connections = new Connections(server);
  server.on('request', (request, response) => {
    request.on('error', () => {});
    response.handle = () => begun.push(response);
    connections.add(response);
  });
  loopback = await listenLocally(server);
});

afterEach(async () => {
  await connections.drain(0);
  vi.useRealTimers();
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

/** Responds to each request as it starts, up to this many. */
async function answerAll(count: number, body: (url: string) => string): Promise<void> {
  for (let i = 0; i < count; i++) {
    await until(() => begun.length > i);
    const response = begun[i] as ApiResponse;
    let length = 0;
    for await (const piece of response.req) length += piece.length;
    response.end(`${body(response.req.url ?? '')} ${length}\n`);
  }
}

/** Every third one has a body of three bytes. */
function pipeline(count: number): string {
  const get = (i: number) => `GET /${i} HTTP/1.1\r\n\r\n`;
  const post = (i: number) => `POST /${i} HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc`;
  return Array.from({ length: count }, (_, i) => (i % 3 ? get(i) : post(i))).join('');
}

it.each([
  [6_000, 1],
  [300, 100_000],
])('%i pipelined requests get their responses in order, each of %i characters', async (...of) => {
  const [count, characters] = of;
  const client = openRaw(loopback.origin, pipeline(count));
  await answerAll(count, (url) => url.padEnd(characters));
  const last = new RegExp(`/${count - 1} +\\d\n`);
  await client.until(({ received }) => last.test(received().slice(-200_000)));
  const answered = [...client.received().matchAll(/^\/(\d+) +(\d)$/gm)].map(
    ([, ...found]) => found,
  );
  const wanted = Array.from({ length: count }, (_, i) => [`${i}`, i % 3 ? '0' : '3']);
  expect(answered).toEqual(wanted);
  client.socket.destroy();
});

it('While a request waits, at most one chunk is parsed, and none of it is kept', async () => {
  const client = connect(loopback.port, '127.0.0.1');
  client.on('error', () => {});
  client.write('GET /0 HTTP/1.1\r\n\r\n'.repeat(200_000));
  await until(() => begun.length > 0);
  const parsed: number[] = [];
  for (let i = 0; i < 200; i++) {
    await setImmediate();
    parsed.push(connections.requestCount);
  }
  // 64 KiB at 19 bytes each.
  expect(Math.max(...parsed)).toBeLessThan(3_500);
  expect(parsed.at(-1)).toBe(parsed[100]);
  expect(begun).toHaveLength(1);
  client.destroy();
  // Its end isn't read, either, so the write time-out ends it.
  vi.advanceTimersByTime(RESPONSE_WRITE_TIMEOUT_MS + 500);
  await until(() => connections.requestCount === 0);
});

it('The waiting requests of all connections are bounded: a connection with too many is reset', async () => {
  const clients = Array.from({ length: 12 }, () => connect(loopback.port, '127.0.0.1'));
  let reset = 0;
  for (const client of clients) {
    client.on('error', () => reset++);
    client.write('GET /many HTTP/1.1\r\n\r\n'.repeat(3_400));
  }
  const polite = openRaw(loopback.origin, pipeline(10));
  await until(() => reset >= 8);
  expect(connections.requestCount).toBeLessThan(8_192 + 3_500);
  await until(() => begun.some(({ req }) => req.url === '/0'));
  expect(polite.socket.destroyed).toBe(false);
  for (const client of clients) client.destroy();
  polite.socket.destroy();
});

it('A connection is reset after the write time-out, and at most half a second later', async () => {
  // Just after a sweep, when the next one is furthest away.
  vi.advanceTimersByTime(1);
  const client = openRaw(loopback.origin, pipeline(1));
  await until(() => begun.length > 0);
  const socket = begun[0]?.req.socket;
  // A response that has started is as late as one that hasn't.
  begun[0]?.write('x');
  vi.advanceTimersByTime(RESPONSE_WRITE_TIMEOUT_MS);
  expect(socket?.destroyed).toBe(false);
  vi.advanceTimersByTime(500);
  expect(socket?.destroyed).toBe(true);
  expect((await client.over).reset).toBe(true);
});
