// The operations port of the built server: its pages, whom it answers, and readiness as the process
// itself finds it. Every reason and warning: operations/readiness. `manage ready`: node/file-gone.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nextFreePort } from '../../src/preview/preview-port.js';
import { eventually } from '../support/eventually.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { Metrics, operationsOf, readyOf } from '../support/operations.js';
import { openRaw } from '../support/raw-http.js';
import { spawnServer } from '../support/server-process.js';

const PORT = { OPS_PORT: '0' };

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

it('The operations port answers live, ready, metrics and status, and nothing under a public name', async () => {
  const operations = operationsOf(await service.start(PORT));
  expect((await fetch(`${operations}/live`)).status).toBe(200);
  expect(await readyOf(operations)).toEqual({
    ...{ status: 200, ready: true, reasons: [], warnings: ['backup_not_configured'] },
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
  expect(await post.text()).toContain('no such page; there are GET /live, GET /ready,');
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

it('The status lists the backups and says when the newest was taken, also after a restart', async () => {
  const BACKUP_DIR = join(service.folder, 'backups');
  await mkdir(BACKUP_DIR);
  const first = await service.start({ ...PORT, BACKUP_DIR });
  await first.saw('"event":"backup_taken"');
  const metrics = await Metrics.of(operationsOf(first));
  expect(metrics.total('service_backups_total', { result: 'taken' })).toBe(1);
  await first.stop();
  // A start with a wrong clock made it: it is listed and counts for nothing.
  const future = 'service-2199-01-01T00-00-00.000Z.db';
  await writeFile(join(BACKUP_DIR, future), '');
  const second = await service.start({ ...PORT, BACKUP_DIR });
  const { backups } = await (await fetch(`${operationsOf(second)}/status`)).json();
  expect(backups).toMatchObject({ interval_hours: 24, keep: 7, last_failed: false });
  expect(backups.list).toMatchObject([
    { name: future, taken_at: '2199-01-01T00:00:00.000Z', bytes: 0 },
    { taken_at: backups.last_success_at, bytes: backups.last_success_bytes },
  ]);
  const after = await Metrics.of(operationsOf(second));
  const last = after.total('service_backup_last_success_timestamp_seconds');
  expect(last).toBe(Date.parse(backups.last_success_at) / 1000);
});

it('The service is not ready until it has started, and from then on tells of the backups that it takes', async () => {
  const OPS_PORT = String(await nextFreePort(20_000 + Math.floor(Math.random() * 10_000)));
  const BACKUP_DIR = join(service.folder, 'backups');
  await mkdir(BACKUP_DIR);
  const server = spawnServer({ ...service.environment, OPS_PORT, BACKUP_DIR });
  const operations = `http://127.0.0.1:${OPS_PORT}`;
  // So many at once that some are asked just before the end of the start.
  await eventually(() => fetch(`${operations}/live`));
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
