// The operations port of the built server: its pages, whom it answers, and readiness as the process
// itself finds it. Every reason and warning: operations/readiness.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REASONS, WARNINGS } from '../../src/hosts/operations/troubles.js';
import { nextFreePort } from '../../src/preview/preview-port.js';
import { eventually } from '../support/eventually.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { metricsOf, operationsOf, readyOf } from '../support/operations.js';
import { startProgram } from '../support/program.js';
import { openRaw, requestText } from '../support/raw-http.js';
import { spawnServer } from '../support/server-process.js';

const MANAGE = fileURLToPath(new URL('../../dist/manage.js', import.meta.url));
const PORT = { OPS_PORT: '0' };

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

/** What `node dist/manage.js ready` prints and exits with. */
async function readyCommand(environment: Record<string, string>) {
  const command = [process.execPath, MANAGE, 'ready'];
  const { code, stdout, stderr } = await startProgram(command, { environment }).ended;
  return [code, stdout + stderr];
}

describe('The operations port', () => {
  it('answers live, ready, metrics and status, and no other path or method', async () => {
    const server = await service.start(PORT);
    const operations = operationsOf(server);
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
    expect(await post.text()).toContain('no such page; there are GET /live, GET /ready,');
    expect(post.status).toBe(404);
  });

  it('refuses a request by a public name, which a page of another site may have sent', async () => {
    const server = await service.start(PORT);
    const statusFor = async (host: string) => {
      const text = `GET /live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const connection = openRaw(operationsOf(server), text);
      await connection.over;
      return Number(connection.received().slice('HTTP/1.1 '.length, 12));
    };
    for (const host of ['127.0.0.1:8082', '[fd12:3456::1]:8082', 'localhost', 'service.internal']) {
      expect(await statusFor(host), host).toBe(200);
    }
    expect(await statusFor('evil.example')).toBe(403);
  });

  it('keeps no connection open after one page, so that kept ones cannot fill it', async () => {
    const server = await service.start(PORT);
    const text = requestText('GET', '/live').repeat(50);
    const connection = openRaw(operationsOf(server), text);
    await connection.over;
    expect(connection.received().split('"live":true')).toHaveLength(2);
  });

  it('lists the backups and says when the newest was taken, also after a restart', async () => {
    const BACKUP_DIR = join(service.folder, 'backups');
    await mkdir(BACKUP_DIR);
    const first = await service.start({ ...PORT, BACKUP_DIR });
    await first.saw('"event":"backup_taken"');
    const metrics = await metricsOf(operationsOf(first));
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
      { taken_at: backups.last_success_at },
    ]);
    const after = await metricsOf(operationsOf(second));
    expect(after.total('service_backup_last_size_bytes')).toBe(backups.list[1].bytes);
    const last = after.total('service_backup_last_success_timestamp_seconds');
    expect(last).toBe(Date.parse(backups.last_success_at) / 1000);
  });
});

describe('The service says that it is not ready', () => {
  it('until it has started, and from then on tells of the backups that it takes', async () => {
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
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });

  it('when its file is gone, and the command says what to do', async () => {
    const server = await service.start(PORT);
    const operations = operationsOf(server);
    await rm(join(service.folder, 'service.db'));
    await eventually(async () =>
      expect((await readyOf(operations)).reasons).toEqual(['storage_lost']),
    );
    const { port: OPS_PORT } = new URL(operations);
    const lines = [
      'not ready: storage_lost (warnings: backup_not_configured)',
      `  storage_lost: ${REASONS.storage_lost.meaning}`,
      `    What to do: ${REASONS.storage_lost.action}`,
      `  backup_not_configured: ${WARNINGS.backup_not_configured.meaning}`,
      `    What to do: ${WARNINGS.backup_not_configured.action}\n`,
    ];
    expect(await readyCommand({ OPS_PORT })).toEqual([1, lines.join('\n')]);
    expect((await metricsOf(operations)).total('service_ready')).toBe(0);
    await server.stop();
    const silent = `not ready: ${operations}/ready doesn't answer (ECONNREFUSED)\n`;
    expect(await readyCommand({ OPS_PORT })).toEqual([1, silent]);
    const unset = 'OPS_PORT is unset; set it as for the service\n';
    expect(await readyCommand({})).toEqual([2, unset]);
  });
});
