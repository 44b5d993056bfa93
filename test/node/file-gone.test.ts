// The database file that goes while the service runs: writes are refused within seconds, the
// operator is told, and everything that was acknowledged is in a saved copy.

import { mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { REASONS, WARNINGS } from '../../src/hosts/operations/health-issues.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf, readyOf } from '../support/operations.js';
import { rawExchange, requestText } from '../support/raw-http.js';
import { type ServerProcess, spawnServer } from '../support/server-process.js';

const MANAGE = new URL('../../dist/manage.js', import.meta.url).pathname;

const ADMIN_API_KEY = 'k'.repeat(40);

let service: NodeService;
let database: string;
let server: ServerProcess;

beforeEach(async () => {
  service = await openNodeService();
  database = join(service.folder, 'service.db');
  server = await service.start({ OPS_PORT: '0', ADMIN_API_KEY });
});
afterEach(() => service.close());

async function create() {
  const head = [bearer('gone'), 'Connection: close'];
  const creation = requestText('POST', '/api/v1/customers', head, '{"name":"Neema","phone":"1"}');
  const [answer] = await rawExchange(server.origin, creation);
  return [answer?.status, answer?.json.error?.code];
}

const reasons = async () => (await readyOf(operationsOf(server))).reasons;

/** Runs `node dist/manage.js`. Resolves with its exit code and output. */
async function manage(environment: Record<string, string>, ...args: string[]) {
  const all = { ...service.environment, ADMIN_API_KEY, ...environment };
  const run = spawnServer(all, { script: MANAGE, args });
  return [await run.exited, run.output()];
}

it('A file that is deleted: no write is taken, the command says what to do, and a dump of the running service has everything', async () => {
  expect(await create()).toEqual([201, undefined]);
  await rm(database);
  // Acknowledged before the service notices.
  const unnoticed = (await create())[0] === 201 ? 1 : 0;
  // At once, without waiting for the next look.
  expect(await reasons()).toEqual(['storage_lost']);
  expect(server.output()).toContain('is gone, or its disk');
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
  const dump = join(service.folder, 'all.ndjson');
  expect((await manage({}, 'dump', '--from', server.origin, '--to', dump))[0]).toBe(0);
  expect(await server.stop()).toBe(0);
  const silent = `not ready: http://127.0.0.1:${OPS_PORT}/ready does not respond (ECONNREFUSED)\n`;
  expect(await manage({ OPS_PORT }, 'ready')).toEqual([1, silent]);
  const unset = 'OPS_PORT is unset; set it as for the service\n';
  expect(await manage({}, 'ready')).toEqual([2, unset]);
  const fresh = join(service.folder, 'fresh.db');
  expect((await manage({}, 'load', dump, '--to', fresh))[0]).toBe(0);
  const [row] = await runSql(fresh, 'select count(*) as n from records');
  expect(row?.['n']).toBe(SAMPLE_COUNT + 1 + unnoticed);
});

it('A file that is touched keeps taking writes, and one that is replaced takes none', async () => {
  await utimes(database, 1, 1);
  expect(await reasons()).toEqual([]);
  expect(await create()).toEqual([201, undefined]);
  await writeFile(`${database}.new`, 'another file');
  await rename(`${database}.new`, database);
  expect(await reasons()).toEqual(['storage_lost']);
  expect(server.output()).toContain('was replaced by another file');
  expect(await create()).toEqual([500, 'STORAGE_FAILED']);
});

it('A file behind a link takes writes, and its marker is next to the file', async () => {
  await server.stop();
  const disk = join(service.folder, 'disk');
  await mkdir(disk);
  await rename(database, join(disk, 'service.db'));
  await symlink(join(disk, 'service.db'), database);
  server = await service.start({ OPS_PORT: '0' });
  expect(await create()).toEqual([201, undefined]);
  expect(await reasons()).toEqual([]);
  expect(await server.stop()).toBe(0);
  expect(await readdir(disk)).toEqual(['service.db']);
});
