// Requests that are sent without waiting for answers: they are answered in order, and what waits is bounded,
// whether the client reads or not.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Connections } from '../../src/hosts/node/connections.js';
import { type Loopback, onLoopback } from '../support/loopback.js';
import { openRaw } from '../support/raw-http.js';

const COUNT = 6_000;
let server: Server;
let loopback: Loopback;
let connections: Connections;
let begun: [IncomingMessage, ServerResponse][];
let origin: string;
/** Parsed requests that had not begun when another one arrived. */
let queuedMost: number;

beforeEach(async () => {
  begun = [];
  queuedMost = 0;
  server = createServer({ requireHostHeader: false });
  connections = new Connections(server);
  server.on('request', (request, response) => {
    connections.add({ request, response, begin: () => begun.push([request, response]) });
    queuedMost = Math.max(queuedMost, connections.underWayCount);
  });
  loopback = await onLoopback(server);
  ({ origin } = loopback);
});

afterEach(async () => {
  connections.stop();
  await loopback.close();
});

/** Answers each request as it begins, until so many were. */
async function answerAll(count: number, body: (url: string) => string): Promise<void> {
  for (let i = 0; i < count; ) {
    const next = begun[i];
    if (next === undefined) {
      await setImmediate();
      continue;
    }
    const [request, response] = next;
    let length = 0;
    for await (const piece of request) length += piece.length;
    response.end(`${body(request.url ?? '')} ${length}\n`);
    i++;
  }
}

function pipeline(count: number): string {
  const get = (i: number) => `GET /${i} HTTP/1.1\r\n\r\n`;
  const post = (i: number) => `POST /${i} HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc`;
  return Array.from({ length: count }, (_, i) => (i % 3 ? get(i) : post(i))).join('');
}

it.each([1, 100_000])(
  'thousands of requests at once are answered in order, with answers of %i characters',
  async (characters) => {
    const count = characters > 1 ? 300 : COUNT;
    const client = openRaw(origin, pipeline(count));
    await answerAll(count, (url) => url.padEnd(characters));
    await client.until(({ received }) =>
      new RegExp(`/${count - 1} +\\d\n`).test(received().slice(-200_000)),
    );
    const answered = [...client.received().matchAll(/^\/(\d+) +(\d)$/gm)];
    expect(answered.map(([, number]) => Number(number))).toEqual(
      Array.from({ length: count }, (_, i) => i),
    );
    expect(
      answered.every(([, number, length]) => Number(length) === (Number(number) % 3 ? 0 : 3)),
    ).toBe(true);
    client.socket.destroy();
  },
);

it('while the first one waits, not more than one piece that the system read is parsed', async () => {
  const client = connect(Number(new URL(origin).port), '127.0.0.1');
  client.write('GET /0 HTTP/1.1\r\n\r\n'.repeat(200_000));
  while (begun.length === 0) await setImmediate();
  const parsed: number[] = [];
  for (let i = 0; i < 200; i++) {
    await setImmediate();
    parsed.push(connections.underWayCount);
  }
  // 64 KiB at 19 bytes each.
  expect(queuedMost).toBeLessThan(3_500);
  expect(parsed.at(-1)).toBe(parsed[100]);
  expect(begun).toHaveLength(1);
  client.destroy();
});

it('the requests that wait on all connections are bounded: one with very many is reset', async () => {
  const port = Number(new URL(origin).port);
  const clients = Array.from({ length: 12 }, () => connect(port, '127.0.0.1'));
  let reset = 0;
  for (const client of clients) {
    client.on('error', () => reset++);
    client.write('GET /0 HTTP/1.1\r\n\r\n'.repeat(3_400));
  }
  const polite = openRaw(origin, pipeline(10));
  while (reset < 8) await setImmediate();
  expect(connections.underWayCount).toBeLessThan(8_192 + 3_500);
  const mine = () => begun.filter(([request]) => /^\/\d$/.test(request.url ?? ''));
  while (mine().length === 0) await setImmediate();
  expect(polite.socket.destroyed).toBe(false);
  for (const client of clients) client.destroy();
  polite.socket.destroy();
});

it('makes no stack trace for each request of a pipeline that breaks off', async () => {
  const stacks: string[] = [];
  server.on('request', (request: IncomingMessage) => {
    request.on('error', ({ stack }) => stacks.push(String(stack)));
  });
  const client = openRaw(origin, pipeline(20));
  while (queuedMost < 20) await setImmediate();
  begun[0]?.[0].socket.resetAndDestroy();
  await client.over;
  while (stacks.length < 20) await setImmediate();
  expect(stacks.filter((stack) => stack.includes('\n'))).toEqual([]);
  expect(new Error('made afterwards').stack).toContain('\n');
});
