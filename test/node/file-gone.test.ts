// The database file that goes while the service runs: writes are refused within seconds, the
// operator is told, and everything that was acknowledged is in a saved copy.

import { copyFile, mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
import { rawExchange, requestText } from '../support/raw-http.js';
import { type ServerProcess, spawnServer } from '../support/server-process.js';

const MANAGE = new URL('../../dist/manage.js', import.meta.url).pathname;

let service: NodeService;
let database: string;
let server: ServerProcess;

beforeEach(async () => {
  service = await openNodeService();
  database = join(service.folder, 'service.db');
  server = await service.start({ OPS_PORT: '0' });
});
afterEach(() => service.close());

async function create(on = server) {
  const head = [bearer('gone'), 'Connection: close'];
  const creation = requestText('POST', '/api/v1/customers', head, '{"name":"Neema","phone":"1"}');
  const [answer] = await rawExchange(on.origin, creation);
  return [answer?.status, answer?.json.error?.code];
}

async function reasons(): Promise<unknown> {
  const answer = await fetch(`${operationsOf(server)}/ready`);
  return (await answer.json()).reasons;
}

async function replace(): Promise<void> {
  await writeFile(`${database}.new`, 'another file');
  await rename(`${database}.new`, database);
}

async function moveAway(): Promise<void> {
  for (const end of ['', '-wal']) await rename(database + end, `${database}.away${end}`);
}

it.each([
  ['is deleted', () => rm(database), 'is gone, or its disk', 'shows that one was there'],
  ['is replaced', replace, 'another file is in the place of', 'the service saved everything to'],
  ['is moved away with its log', moveAway, 'is gone, or its disk', 'shows that one was there'],
  ['loses its log', () => rm(`${database}-wal`), 'service.db-wal is gone', undefined],
])('a file that %s: no write is lost, and none is taken', async (_, lose, sentence, refusal) => {
  expect(await create()).toEqual([201, undefined]);
  await lose();
  // What is acknowledged before the service notices is in the copy, too.
  const unnoticed = (await create())[0] === 201 ? 1 : 0;
  await server.saw('"event":"database_saved"');
  expect(server.log()).toContainEqual(
    expect.objectContaining({ event: 'storage_lost', error: expect.stringContaining(sentence) }),
  );
  expect(await create()).toEqual([500, 'STORAGE_FAILED']);
  expect(await reasons()).toEqual(['storage_lost']);
  const saved = server.log().find(({ event }) => event === 'database_saved');
  const file = String(saved?.['file']);
  expect(saved).toMatchObject({ records: SAMPLE_COUNT + 1 + unnoticed });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await server.stop()).toBe(0);
  if (refusal !== undefined) {
    const refused = spawnServer(service.environment);
    expect([await refused.exited, refused.output()]).toEqual([1, expect.stringContaining(refusal)]);
  }
  const restored = spawnServer(service.environment, { script: MANAGE, args: ['restore', file] });
  expect(await restored.exited).toBe(0);
  const again = await service.start();
  expect(await create(again)).toEqual([201, undefined]);
  await again.stop();
  const [row] = await runSql(database, 'select count(*) as n from records');
  expect(row?.['n']).toBe(SAMPLE_COUNT + 2 + unnoticed);
});

it('/ready says it at once, without waiting for the next look', async () => {
  await rm(database);
  expect(await reasons()).toEqual(['storage_lost']);
});

it('a file that another program writes: reads go on from memory, and no write is taken', async () => {
  const backup = join(service.folder, 'backup.db');
  await copyFile(database, backup);
  expect(await create()).toEqual([201, undefined]);
  await copyFile(backup, database);
  await server.saw('"event":"database_damaged"');
  expect(await create()).toEqual([500, 'STORAGE_FAILED']);
  expect(await reasons()).toEqual(['database_damaged']);
  const [name = '', value = ''] = bearer('gone').split(': ');
  const list = await fetch(`${server.origin}/api/v1/customers`, { headers: { [name]: value } });
  expect((await list.json()).meta.pagination.total).toBe(1);
});

it('a file behind a link takes writes, and its marks are beside the file', async () => {
  await server.stop();
  const disk = join(service.folder, 'disk');
  await mkdir(disk);
  await rename(database, join(disk, 'service.db'));
  await rm(`${database}-state`);
  await symlink(join(disk, 'service.db'), database);
  server = await service.start({ OPS_PORT: '0' });
  expect(await create()).toEqual([201, undefined]);
  // Twice: a log may be missing for a moment.
  for (let look = 0; look < 3; look++) expect(await reasons()).toEqual([]);
  expect(await create()).toEqual([201, undefined]);
  expect(await server.stop()).toBe(0);
  expect(await readdir(disk)).toEqual(['service.db', 'service.db-state']);
});
