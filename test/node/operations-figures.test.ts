// The figures of /metrics against what the clients themselves counted, refused
// and aborted requests among them.

import { Agent, type RequestOptions, request } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openIdentityStub } from '../support/identity-stub.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { Metrics, operationsOf } from '../support/operations.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const REQUESTS = 2_000;
const CLIENTS = 16;
const TOTAL = 'service_http_requests_total';
const CUSTOMERS = '/api/v1/customers';
const TOKEN = bearer('figures');

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

const AUTHORIZATION = { Authorization: TOKEN.slice('Authorization: '.length) };
const CREATE = { headers: AUTHORIZATION, body: '{"name":"a","phone":"1"}' };
type Kind = [method: string, path: string, route: string, { headers?: object; body?: string }?];
const KINDS: readonly Kind[] = [
  ['GET', '/api/v1/health', '/api/v1/health'],
  ['GET', `${CUSTOMERS}?q=a`, CUSTOMERS, { headers: AUTHORIZATION }],
  ['GET', `${CUSTOMERS}/CUS-9`, `${CUSTOMERS}/:id`, { headers: AUTHORIZATION }],
  ['GET', CUSTOMERS, CUSTOMERS],
  ['POST', CUSTOMERS, CUSTOMERS, CREATE],
  ['POST', CUSTOMERS, CUSTOMERS, { ...CREATE, body: '{' }],
  ['OPTIONS', CUSTOMERS, CUSTOMERS],
  ['GET', '/elsewhere/secret', 'other'],
];

/** Resolves with the status, once the whole answer was read. */
function send(url: string, options: RequestOptions, body: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    outgoing.on('error', reject).end(body);
  });
}

/** Sends the beginning of a create and goes away. */
async function abort(origin: string): Promise<void> {
  const head = requestText('POST', CUSTOMERS, [TOKEN, 'Content-Length: 100']);
  const { socket, over } = openRaw(origin);
  socket.write(`${head}{"name":`, () => socket.destroy());
  await over;
}

async function untilQuiet(server: ServerProcess): Promise<Metrics> {
  for (;;) {
    const metrics = await Metrics.of(operationsOf(server));
    if (metrics.total('service_http_connections') === 0) return metrics;
  }
}

it('are equal to the counts of the clients', { timeout: 240_000 }, async () => {
  const server = await service.start({ OPS_PORT: '0' });
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const counted = new Map<string, number>();
  let [sent, created] = [0, 0];
  const count = (key: string) => counted.set(key, (counted.get(key) ?? 0) + 1);
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (sent < REQUESTS) {
        const turn = sent++;
        if (turn % 20 === 19) {
          await abort(server.origin);
          count(`${CUSTOMERS} POST aborted`);
          continue;
        }
        const [method, path, route, { headers, body } = {}] = KINDS[turn % KINDS.length] as Kind;
        const options = { method, agent, headers: { ...headers } };
        const status = await send(server.origin + path, options, body);
        if (status === 201) created++;
        count(`${route} ${method} ${status}`);
      }
    }),
  );
  agent.destroy();
  const metrics = await untilQuiet(server);
  const found = (metrics.families.get(TOTAL)?.metrics ?? []).map(({ labels, value }) => [
    `${labels?.['route']} ${labels?.['method']} ${labels?.['status']}`,
    Number(value),
  ]);
  expect(new Map(found as [string, number][])).toEqual(counted);
  expect(metrics.total(TOTAL)).toBe(REQUESTS);
  expect(metrics.observations('service_http_request_duration_seconds')).toBe(REQUESTS);
  expect(metrics.total('service_http_requests_in_flight')).toBe(0);
  const writes = metrics.families.get('service_commit_group_writes')?.metrics[0]?.sum;
  expect(Number(writes)).toBe(created);
});

it('count each protocol error and unknown method once', async () => {
  const server = await service.start({ OPS_PORT: '0' });
  const broken = requestText('POST', CUSTOMERS, [TOKEN, 'Transfer-Encoding: chunked']);
  for (const [text, status] of [
    ['GET / HTTP/1.1\r\nno colon\r\n\r\n', 400],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    [requestText('BREW', CUSTOMERS), 405],
    [`${broken}nonsense\r\n`, 400],
  ] as const) {
    expect((await rawExchange(server.origin, text))[0]?.status).toBe(status);
  }
  const metrics = await untilQuiet(server);
  expect(metrics.total(TOTAL, { method: 'other', status: '400' })).toBe(1);
  expect(metrics.total(TOTAL, { method: 'other', status: '405' })).toBe(2);
  expect(metrics.total(TOTAL, { route: CUSTOMERS, status: '400' })).toBe(1);
  expect(metrics.total(TOTAL)).toBe(4);
});

it('count the bytes of each request separately, also when only slow ones are logged', async () => {
  const stub = await openIdentityStub((_token, response) => {
    setTimeout(() => response.end('{"sub":"slow"}'), 300);
  });
  const slowOnes = { REQUEST_LOG: 'slow', SLOW_REQUEST_MS: '250' };
  const server = await service.start({ ...slowOnes, AUTH_USERINFO_URL: stub.url });
  const connection = openRaw(server.origin);
  connection.send(requestText('GET', '/api/v1/health').repeat(3));
  await connection.until((open) => open.answers().length === 3);
  const before = connection.received().length;
  connection.send(requestText('GET', CUSTOMERS, [TOKEN, 'Connection: close']));
  await connection.over;
  await server.stop();
  const slow = server.log().filter(({ route }) => route === CUSTOMERS);
  expect(slow.map(({ bytes }) => bytes)).toEqual([connection.received().length - before]);
  await stub.close();
});
