// The figures of /metrics against what the clients themselves counted, refused and aborted requests
// among them.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { metricsOf, operationsOf } from '../support/operations.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';

const HEALTH = '/api/v1/health';
const CUSTOMERS = '/api/v1/customers';
const MINE = bearer('figures');
const OVERVIEW = '/api/v1/admin/overview';
const ROUNDS = 50;

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

/** Requests of a kept connection, and the route, method and status under which each is counted. */
const ANSWERED: readonly (readonly [text: string, counted: string])[] = [
  [requestText('GET', HEALTH), `${HEALTH} GET 200`],
  [requestText('GET', `${CUSTOMERS}?q=a`, [MINE]), `${CUSTOMERS} GET 200`],
  [requestText('GET', `${CUSTOMERS}/CUS-9`, [MINE]), `${CUSTOMERS}/:id GET 404`],
  [requestText('GET', CUSTOMERS), `${CUSTOMERS} GET 401`],
  [requestText('GET', OVERVIEW, ['X-Service-Admin-Key: a guess']), `${OVERVIEW} GET 401`],
  [requestText('POST', CUSTOMERS, [MINE], '{"name":"a","phone":"1"}'), `${CUSTOMERS} POST 201`],
  [requestText('POST', CUSTOMERS, [MINE], '{'), `${CUSTOMERS} POST 400`],
  [requestText('OPTIONS', CUSTOMERS), `${CUSTOMERS} OPTIONS 204`],
  [requestText('GET', '/elsewhere/secret'), 'other GET 404'],
];

/** Messages that break the protocol; each ends its connection. */
const BROKEN: readonly (readonly [text: string, counted: string])[] = [
  ['GET / HTTP/1.1\r\nno colon\r\n\r\n', 'other other 400'],
  ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 'other other 405'],
  [requestText('BREW', CUSTOMERS), 'other other 405'],
  [
    `${requestText('POST', CUSTOMERS, [MINE, 'Transfer-Encoding: chunked'])}nonsense\r\n`,
    `${CUSTOMERS} POST 400`,
  ],
];

it('are equal to the counts of the clients', async () => {
  const server = await service.start({ OPS_PORT: '0', ADMIN_API_KEY: 'k'.repeat(32) });
  const counted = new Map<string, number>();
  const count = (key: string) => counted.set(key, (counted.get(key) ?? 0) + 1);
  const clients = Array.from({ length: ROUNDS }, async () => {
    const kept = openRaw(server.origin, ANSWERED.map(([text]) => text).join(''));
    await kept.until(({ answers }) => answers().length === ANSWERED.length);
    for (const [index, { status }] of kept.answers().entries()) {
      expect(ANSWERED[index]?.[1]).toMatch(new RegExp(` ${status}$`));
    }
    for (const [, key] of ANSWERED) count(key);
    kept.socket.destroy();
    for (const [text, key] of BROKEN) {
      expect(key).toMatch(new RegExp(` ${(await rawExchange(server.origin, text))[0]?.status}$`));
      count(key);
    }
    // The beginning of a create, whose client then leaves.
    const { socket, over } = openRaw(server.origin);
    const head = requestText('POST', CUSTOMERS, [MINE, 'Content-Length: 100']);
    socket.write(`${head}{"name":`, () => socket.destroy());
    await over;
    count(`${CUSTOMERS} POST aborted`);
  });
  await Promise.all(clients);
  let metrics = await metricsOf(operationsOf(server));
  while (metrics.total('service_http_connections') > 0)
    metrics = await metricsOf(operationsOf(server));
  const families = metrics.families.get('service_http_requests_total')?.metrics ?? [];
  const found = families.map(({ labels, value }): [string, number] => [
    `${labels?.['route']} ${labels?.['method']} ${labels?.['status']}`,
    Number(value),
  ]);
  expect(new Map(found)).toEqual(counted);
  const all = ROUNDS * (ANSWERED.length + BROKEN.length + 1);
  const observed = /^service_http_request_duration_seconds_count(?:{.*})? (\d+)$/gm;
  const counts = [...metrics.text.matchAll(observed)].map(([, count]) => Number(count));
  expect(counts.reduce((sum, count) => sum + count)).toBe(all);
  expect(metrics.total('service_http_requests_in_flight')).toBe(0);
  expect(metrics.total('service_admin_keys_refused_total')).toBe(ROUNDS);
  const writes = metrics.families.get('service_commit_group_writes')?.metrics[0]?.sum;
  expect(Number(writes)).toBe(ROUNDS);
});
