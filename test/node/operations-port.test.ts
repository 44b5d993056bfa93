// The operations port of the built server: its pages, whom it serves, the process's own readiness,
// and its figures compared with what clients counted, including refused and aborted requests. Every
// reason and warning: operations/readiness. `manage ready`: node/file-gone.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.js';
import { bearer, nodeService } from '../support/node-service.js';
import { metricsOf, operationsOf, readyOf } from '../support/operations.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';
import { spawnServer } from '../support/server-process.js';

const PORT = { OPS_PORT: '0' };
const HEALTH = '/api/v1/health';
const CUSTOMERS = '/api/v1/customers';
const MINE = bearer('figures');
const OVERVIEW = '/api/v1/admin/overview';
const ROUNDS = 50;

const service = nodeService();

it('The operations port serves live, ready, metrics and status, and nothing under a public name', async () => {
  const operations = operationsOf(await service.start(PORT));
  expect((await fetch(`${operations}/live`)).status).toBe(200);
  expect(await readyOf(operations)).toEqual({
    status: 200,
    ready: true,
    reasons: [],
    warnings: ['backup_not_configured'],
  });
  const metrics = await fetch(`${operations}/metrics`);
  expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const status = await fetch(`${operations}/status`);
  expect(await status.json()).toMatchObject({
    ready: true,
    records: { customers: expect.any(Number) },
    database: { disk_free_bytes: expect.any(Number) },
    backups: null,
  });
  expect((await fetch(`${operations}/`)).status).toBe(404);
  const post = await fetch(`${operations}/ready`, { method: 'POST' });
  expect(await post.text()).toContain('no such page; use GET /live, GET /ready,');
  for (const [host, wanted] of [
    ...['127.0.0.1:8082', '[fd12:3456::1]:8082', 'localhost', 'service.internal'].map(
      (own) => [own, '200'] as const,
    ),
    // A page of another site may have sent it.
    ['evil.example', '403'] as const,
  ]) {
    const text = `GET /live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    const connection = openRaw(operations, text);
    await connection.over;
    expect(connection.received().split(' ')[1], host).toBe(wanted);
  }
});

it('The status lists the backups and says when the newest was taken, even after a restart', async () => {
  const BACKUP_DIR = service.at('backups');
  await mkdir(BACKUP_DIR);
  const first = await service.start({ ...PORT, BACKUP_DIR });
  await first.saw('"event":"backup_taken"');
  const metrics = await metricsOf(operationsOf(first));
  expect(metrics.total('service_backups_total', { result: 'taken' })).toBe(1);
  await first.stop();
  // A start with a wrong clock made it: it is listed, but doesn't count.
  const future = 'service-2199-01-01T00-00-00.000Z.db';
  await writeFile(join(BACKUP_DIR, future), '');
  const second = await service.start({ ...PORT, BACKUP_DIR });
  const { backups } = await (await fetch(`${operationsOf(second)}/status`)).json();
  expect(backups).toMatchObject({ interval_hours: 24, keep: 7, last_failure: null });
  expect(backups.list).toMatchObject([
    { name: future, taken_at: '2199-01-01T00:00:00.000Z', bytes: 0 },
    { taken_at: backups.last_success_at, bytes: backups.last_success_bytes },
  ]);
  const after = await metricsOf(operationsOf(second));
  const last = after.total('service_backup_last_success_timestamp_seconds');
  expect(last).toBe(Date.parse(backups.last_success_at) / 1000);
});

it('The service is not ready until it has started, and then reports its backups', async () => {
  const OPS_PORT = String(await freePort());
  const BACKUP_DIR = service.at('backups');
  await mkdir(BACKUP_DIR);
  const server = spawnServer({ ...service.environment, OPS_PORT, BACKUP_DIR });
  const operations = `http://127.0.0.1:${OPS_PORT}`;
  // Enough at once that some arrive just before the start completes.
  await expect.poll(() => fetch(`${operations}/live`)).toBeDefined();
  const askers = Array.from({ length: 20 }, async () => {
    for (;;) {
      const page = await readyOf(operations);
      expect(page.warnings).toEqual([]);
      if (page.ready) return;
    }
  });
  await Promise.all(askers);
  expect(await server.stop()).toBe(0);
});

/** Requests of one connection, and the route, method and status under which each is counted. */
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

it('The figures equal the clients’ counts, and no request is logged', async () => {
  const server = await service.start({ OPS_PORT: '0', ADMIN_API_KEY: 'k'.repeat(32) });
  const startedAt = new Date().toISOString();
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
    // The start of a create, whose client then disconnects.
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
  const { admin_keys } = await (await fetch(`${operationsOf(server)}/status`)).json();
  expect(admin_keys.refused).toBe(ROUNDS);
  expect(admin_keys.last_refused_at >= startedAt, admin_keys.last_refused_at).toBe(true);
  const writes = metrics.families.get('service_commit_group_writes')?.metrics[0]?.sum;
  expect(Number(writes)).toBe(ROUNDS);
  expect(await server.stop()).toBe(0);
  const events = ['database_created', 'started', 'admin_key_refused', 'stopping', 'stopped'];
  expect(server.log().map(({ event }) => event)).toEqual(events);
});
