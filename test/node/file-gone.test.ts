// The database file disappears while the service runs: writes are refused within seconds, readiness
// reports it, and a dump of the running service has everything that was acknowledged.

import { mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { beforeEach, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { SAMPLE_RECORDS } from '../../src/core/domain/sample-records.js';
import { REASONS, WARNINGS } from '../../src/hosts/operations/health-issues.js';
import { startManage } from '../support/manage.js';
import { createCustomer, nodeService } from '../support/node-service.js';
import { operationsOf, readyOf } from '../support/operations.js';
import type { ServerProcess } from '../support/server-process.js';

const ADMIN_API_KEY = 'k'.repeat(40);

const service = nodeService();
let server: ServerProcess;

beforeEach(async () => {
  server = await service.start({ OPS_PORT: '0', ADMIN_API_KEY });
});

const create = async () => {
  const { status, json } = await createCustomer(server);
  return [status, json.error?.code];
};

const reasons = async () => (await readyOf(operationsOf(server))).reasons;

/** Runs `node dist/manage.js`. Resolves with its exit code and output. */
async function manage(environment: Record<string, string>, ...args: string[]) {
  const run = startManage(args, { ...service.environment, ADMIN_API_KEY, ...environment });
  return [await run.exited, run.output()];
}

it('After the file is deleted, writes are refused, the command names the remedy, and a dump of the running service has everything', async () => {
  expect(await create()).toEqual([201, undefined]);
  await rm(service.database);
  // Acknowledged before the service notices.
  const unnoticed = (await create())[0] === 201 ? 1 : 0;
  // At once, without waiting for the next check.
  expect(await reasons()).toEqual(['storage_lost']);
  expect(server.output()).toContain('or its disk is gone');
  expect(await create()).toEqual([500, 'STORAGE_FAILED']);
  const { port: OPS_PORT } = new URL(operationsOf(server));
  const lines = [
    'not ready: storage_lost (warnings: backup_not_configured)',
    `  storage_lost: ${REASONS.storage_lost.meaning}`,
    `    What to do: ${REASONS.storage_lost.action}`,
    `  backup_not_configured: ${WARNINGS.backup_not_configured.meaning}`,
    `    What to do: ${WARNINGS.backup_not_configured.action}\n`,
  ];
  expect(await manage({ OPS_PORT }, 'ready')).toEqual([1, lines.join('\n')]);
  const dump = service.at('all.ndjson');
  expect((await manage({}, 'dump', '--from', server.origin, '--to', dump))[0]).toBe(0);
  expect(await server.stop()).toBe(0);
  const silent = `not ready: http://127.0.0.1:${OPS_PORT}/ready does not respond (ECONNREFUSED)\n`;
  expect(await manage({ OPS_PORT }, 'ready')).toEqual([1, silent]);
  const unset = "OPS_PORT is unset; set the service's\n";
  expect(await manage({}, 'ready')).toEqual([2, unset]);
  const fresh = service.at('fresh.db');
  expect((await manage({}, 'load', dump, '--to', fresh))[0]).toBe(0);
  const [row] = await runSql(fresh, 'select count(*) as n from records');
  expect(row?.['n']).toBe(SAMPLE_RECORDS.length + 1 + unnoticed);
});

it('A touched file still accepts writes, but a replaced one does not', async () => {
  const { database } = service;
  await utimes(database, 1, 1);
  expect(await reasons()).toEqual([]);
  expect(await create()).toEqual([201, undefined]);
  await writeFile(`${database}.new`, 'another file');
  await rename(`${database}.new`, database);
  expect(await reasons()).toEqual(['storage_lost']);
  expect(server.output()).toContain('was replaced by another file');
  expect(await create()).toEqual([500, 'STORAGE_FAILED']);
});

it('A file behind a link accepts writes, and its marker is next to the file', async () => {
  await server.stop();
  const { at, database } = service;
  const disk = at('disk');
  await mkdir(disk);
  await rename(database, at('disk/service.db'));
  await symlink(at('disk/service.db'), database);
  server = await service.start({ OPS_PORT: '0' });
  expect(await create()).toEqual([201, undefined]);
  expect(await reasons()).toEqual([]);
  expect(await server.stop()).toBe(0);
  expect(await readdir(disk)).toEqual(['service.db']);
});
