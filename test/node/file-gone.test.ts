// The database file that goes while the service runs: writes are refused within seconds, the
// operator is told, and everything that was acknowledged is in a saved copy.

import { mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
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
  ['is deleted', () => rm(database), 'is gone, or its disk'],
  ['is replaced', replace, 'was replaced by another file'],
  ['is moved away with its log', moveAway, 'is gone, or its disk'],
])(
  'a file that %s: no write is taken, and a dump of the running service has every one',
  async (_, lose, sentence) => {
    expect(await create()).toEqual([201, undefined]);
    await lose();
    // Acknowledged before the service notices.
    const unnoticed = (await create())[0] === 201 ? 1 : 0;
    // At once, without waiting for the next look.
    expect(await reasons()).toEqual(['storage_lost']);
    expect(server.log()).toContainEqual(
      expect.objectContaining({ event: 'storage_lost', error: expect.stringContaining(sentence) }),
    );
    expect(await create()).toEqual([500, 'STORAGE_FAILED']);
    const run = (...args: string[]) =>
      spawnServer({ ...service.environment, ADMIN_API_KEY }, { script: MANAGE, args });
    const dump = join(service.folder, 'all.ndjson');
    const dumped = run('dump', '--from', server.origin, '--to', dump);
    expect([await dumped.exited, dumped.output()]).toEqual([0, expect.anything()]);
    expect(await server.stop()).toBe(0);
    const fresh = join(service.folder, 'fresh.db');
    expect(await run('load', dump, '--to', fresh).exited).toBe(0);
    const [row] = await runSql(fresh, 'select count(*) as n from records');
    expect(row?.['n']).toBe(SAMPLE_COUNT + 1 + unnoticed);
  },
);

it('a file that is touched goes on', async () => {
  await utimes(database, 1, 1);
  expect(await reasons()).toEqual([]);
  expect(await create()).toEqual([201, undefined]);
});

it('a file behind a link takes writes, and its marks are beside the file', async () => {
  await server.stop();
  const disk = join(service.folder, 'disk');
  await mkdir(disk);
  await rename(database, join(disk, 'service.db'));
  await symlink(join(disk, 'service.db'), database);
  server = await service.start({ OPS_PORT: '0' });
  expect(await create()).toEqual([201, undefined]);
  // Twice: a log may be missing for a moment.
  for (let look = 0; look < 3; look++) expect(await reasons()).toEqual([]);
  expect(await create()).toEqual([201, undefined]);
  expect(await server.stop()).toBe(0);
  expect(await readdir(disk)).toEqual(['service.db']);
});
