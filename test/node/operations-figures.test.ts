// The figures of /metrics against what the clients themselves counted, refused
// and aborted requests among them. REQUESTS=20000 runs it longer.

import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openIdentityStub } from '../support/identity-stub.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { Metrics, operationsOf } from '../support/operations.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const REQUESTS = Number(process.env['REQUESTS'] ?? 2_000);
const CLIENTS = 16;
const TOTAL = 'service_http_requests_total';
const CUSTOMERS = '/api/v1/customers';
const TOKEN = bearer('figures');

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

interface Kind {
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const AUTHORIZATION = { Authorization: TOKEN.slice('Authorization: '.length) };
const KINDS: readonly Kind[] = [
  { method: 'GET', path: '/api/v1/health', route: '/api/v1/health' },
  { method: 'GET', path: `${CUSTOMERS}?q=a`, route: CUSTOMERS, headers: AUTHORIZATION },
  { method: 'GET', path: `${CUSTOMERS}/CUS-9`, route: `${CUSTOMERS}/:id`, headers: AUTHORIZATION },
  { method: 'GET', path: CUSTOMERS, route: CUSTOMERS },
  {
    method: 'POST',
    path: CUSTOMERS,
    route: CUSTOMERS,
    headers: AUTHORIZATION,
    body: '{"name":"a","phone":"1"}',
  },
  { method: 'POST', path: CUSTOMERS, route: CUSTOMERS, headers: AUTHORIZATION, body: '{' },
  { method: 'OPTIONS', path: CUSTOMERS, route: CUSTOMERS },
  { method: 'GET', path: '/elsewhere/secret', route: 'other' },
];

/** Sends one and resolves with its status, once the whole answer was read. */
function send(
  origin: string,
  agent: Agent,
  { method, path, headers, body }: Kind,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${origin}${path}`, { method, agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    outgoing.on('error', reject).end(body);
  });
}

/** Sends the beginning of a create and goes away. */
function abort(origin: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      const head = requestText('POST', CUSTOMERS, [TOKEN, 'Content-Length: 100']);
      socket.write(`${head}{"name":`, () => socket.destroy());
    });
    socket.on('close', () => resolve());
  });
}

async function untilQuiet(server: ServerProcess): Promise<Metrics> {
  for (;;) {
    const metrics = await Metrics.of(operationsOf(server));
    if (metrics.total('service_http_connections') === 0) return metrics;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it(`are equal to the counts of the clients, over ${REQUESTS} requests`, {
  timeout: 240_000,
}, async () => {
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
        const kind = KINDS[turn % KINDS.length] ?? KINDS[0];
        if (kind === undefined) throw new Error('there is no kind of request');
        const status = await send(server.origin, agent, kind);
        if (status === 201) created++;
        count(`${kind.route} ${kind.method} ${status}`);
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
  const answeredChecks =
    metrics.total('service_identity_checks_total') +
    metrics.total('service_identity_checks_joined_total');
  const withToken = [...counted]
    .filter(([key]) => /aborted|:id|POST|customers GET 200/.test(key))
    .reduce((sum, [, number]) => sum + number, 0);
  expect(answeredChecks).toBe(withToken);
  expect(metrics.total('service_identity_checks_remembered_total')).toBe(0);
});

it('count each protocol error and unknown method once', async () => {
  const server = await service.start({ OPS_PORT: '0' });
  const [malformed] = await rawExchange(server.origin, 'GET / HTTP/1.1\r\nno colon\r\n\r\n');
  expect(malformed?.status).toBe(400);
  const [tunnel] = await rawExchange(server.origin, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(tunnel?.status).toBe(405);
  const [unknown] = await rawExchange(server.origin, requestText('BREW', CUSTOMERS));
  expect([unknown?.status, unknown?.headers.get('allow')]).toEqual([405, expect.any(String)]);
  const broken = requestText('POST', CUSTOMERS, [TOKEN, 'Transfer-Encoding: chunked']);
  expect((await rawExchange(server.origin, `${broken}nonsense\r\n`))[0]?.status).toBe(400);
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
  const server = await service.start({
    OPS_PORT: '0',
    REQUEST_LOG: 'slow',
    SLOW_REQUEST_MS: '250',
    AUTH_USERINFO_URL: stub.url,
  });
  const connection = openRaw(server.origin);
  for (let answers = 1; answers <= 3; answers++) {
    connection.send(requestText('GET', '/api/v1/health'));
    await connection.until((open) => open.answers().length === answers);
  }
  const before = connection.received().length;
  connection.send(requestText('GET', CUSTOMERS, [TOKEN, 'Connection: close']));
  await connection.over;
  await server.stop();
  const slow = server.log().filter(({ route }) => route === CUSTOMERS);
  expect(slow.map(({ bytes }) => bytes)).toEqual([connection.received().length - before]);
  await stub.close();
});
