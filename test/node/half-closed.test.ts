// Clients that end their side of the connection after the request: they are
// answered, and the connection is closed after the answer.

import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FairScheduler, nextTask } from '../../src/core/admission/fair-scheduler.js';
import { Connections } from '../../src/hosts/node/connections.js';
import { answerHalfClosed } from '../../src/hosts/node/half-closed.js';
import { listen } from '../../src/hosts/node/http-server.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { keptLog } from '../support/kept-log.js';
import { onLoopback } from '../support/loopback.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const HEALTH = '/api/v1/health';
const ORDERS = '/api/v1/orders';
const ORDER = '{"customer":"a","service":"b","amount":1}';

let service: NodeService;
let server: ServerProcess;
let databases = 0;

beforeAll(async () => {
  service = await openNodeService();
  server = await service.start();
});
afterAll(() => service.close());

/** Sends everything, ends its side, and reads until the server has ended its own. */
async function halfClosed(origin: string, text: string) {
  const connection = openRaw(origin);
  connection.socket.end(Buffer.from(text, 'latin1'));
  const { reset } = await connection.over;
  expect(reset).toBe(false);
  return connection.answers();
}

/** A provider that answers only when it is let, and a server that asks it. */
async function serverBehindGate() {
  const gates: (() => void)[] = [];
  const asked: (() => void)[] = [];
  const stub = await openIdentityStub((token, response) => {
    gates.push(() => response.end(JSON.stringify({ sub: token })));
    for (const tell of asked.splice(0)) tell();
  });
  const { origin } = await service.start({
    AUTH_USERINFO_URL: stub.url,
    DATABASE_URL: `file:${service.folder}/gated-${++databases}.db`,
  });
  const wasAsked = async (times: number) => {
    while (gates.length < times) await new Promise<void>((tell) => asked.push(tell));
  };
  return { origin, wasAsked, open: () => gates.shift()?.(), close: () => stub.close() };
}

describe('A client that ends its side after the request', () => {
  it.each([
    ['a read', requestText('GET', HEALTH), [200]],
    ['a write', requestText('POST', ORDERS, [bearer('half')], ORDER), [201]],
    ['several at once', requestText('GET', HEALTH).repeat(3), [200, 200, 200]],
    [
      'a write after a read',
      requestText('GET', HEALTH) + requestText('POST', ORDERS, [bearer('half')], ORDER),
      [200, 201],
    ],
    ['as HTTP/1.0', `GET ${HEALTH} HTTP/1.0\r\n\r\n`, [200]],
  ])('is answered and then closed: %s', async (_what, text, statuses) => {
    const answers = await halfClosed(server.origin, text);
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });

  it('is answered when its identity is known only later', async () => {
    const gate = await serverBehindGate();
    const connection = openRaw(gate.origin);
    connection.socket.end(requestText('POST', ORDERS, ['Authorization: Bearer token'], ORDER));
    await gate.wasAsked(1);
    // The end has arrived: an interim answer says so.
    await connection.until(({ received }) => received().startsWith('HTTP/1.1 102 '));
    gate.open();
    await connection.over;
    const [answer] = connection.answers();
    expect(answer?.status).toBe(201);
    expect(answer?.headers.get('connection')).toBe('close');
    await gate.close();
  });

  it('is refused when the request is incomplete', async () => {
    const head = requestText('POST', ORDERS, [bearer('half'), 'Content-Length: 99']);
    const answers = await halfClosed(server.origin, `${head}{`);
    expect(answers.map(({ status }) => status)).toEqual([400]);
  });

  it('is closed at once when it has sent no request', async () => {
    expect(await halfClosed(server.origin, '')).toEqual([]);
  });
});

describe('A handler at work on a write', () => {
  async function serverOfOneRequest() {
    let arrived: (request: Request) => void = () => {};
    let answer: () => void = () => {};
    const request = new Promise<Request>((resolve) => {
      arrived = resolve;
    });
    const answered = new Promise<Response>((resolve) => {
      answer = () => resolve(new Response('{}', { headers: { 'Content-Length': '2' } }));
    });
    const handler = (asked: Request) => {
      // A signal that nobody has looked at is never aborted.
      void asked.signal;
      arrived(asked);
      return answered;
    };
    const http = await listen({
      handler,
      host: '127.0.0.1',
      port: 0,
      corsAllowedOrigins: ['*'],
      log: keptLog(),
    });
    return { http, request, answer };
  }

  it('sees that its client has closed the connection', async () => {
    const { http, request } = await serverOfOneRequest();
    const connection = openRaw(http.origin, requestText('DELETE', '/'));
    const { signal } = await request;
    connection.socket.destroy();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await http.drain(0);
  });

  it('does not see that for a client that closed only its sending side', async () => {
    const { http, request, answer } = await serverOfOneRequest();
    const connection = openRaw(http.origin);
    connection.socket.end(requestText('DELETE', '/'));
    const { signal } = await request;
    // Asked for twice, the client is still there.
    await connection.until(({ received }) => received().split('102 Processing').length === 3);
    expect(signal.aborted).toBe(false);
    answer();
    await connection.over;
    expect(connection.answers().map(({ status }) => status)).toEqual([200]);
    await http.drain(0);
  });
});

it('Many clients that end their side at once are asked in several event-loop turns', async () => {
  const CLIENTS = 12;
  // Each look at this clock takes a millisecond, so a slice of two is soon over.
  let [now, pauses] = [0, 0];
  const scheduler = new FairScheduler({
    stopwatch: () => now++,
    pause: () => {
      pauses++;
      return nextTask();
    },
  });
  const waiting: ServerResponse[] = [];
  const askedIn = new Map<number, number>();
  const server = createServer((_, response) => {
    waiting.push(response);
    const ask = response.writeProcessing.bind(response);
    response.writeProcessing = () => {
      askedIn.set(pauses, (askedIn.get(pauses) ?? 0) + 1);
      ask();
    };
  });
  const connections = new Connections(server);
  server.on('request', (request, response) =>
    connections.add({ request, response, begin: () => {} }),
  );
  answerHalfClosed(server, connections, scheduler);
  const { origin, close } = await onLoopback(server);
  const clients = Array.from({ length: CLIENTS }, () => openRaw(origin));
  for (const { socket } of clients) socket.end(requestText('DELETE', '/'));
  for (const client of clients)
    await client.until(({ received }) => received().includes('102 Processing'));
  expect(Math.max(...askedIn.values())).toBeLessThanOrEqual(2);
  for (const response of waiting) response.end();
  await Promise.all(clients.map(({ over }) => over));
  connections.stop();
  await close();
});
