// A missing database: a start never replaces it with an empty one, unless the operator says so.
// Also the very first start, which creates one.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createCustomer, nodeService } from '../support/node-service.js';
import type { Environment } from '../support/program.js';
import { spawnServer } from '../support/server-process.js';

const service = nodeService();

/** Why a start and `--check` are refused. Throws if either is not, or changes the folder. */
async function refusal(environment: Environment = {}): Promise<string> {
  const run = (args: string[]) => spawnServer({ ...service.environment, ...environment }, { args });
  const check = run(['--check']);
  expect(await check.exited).toBe(1);
  const before = await readdir(service.folder);
  const start = run([]);
  expect(await start.exited).toBe(1);
  expect(await readdir(service.folder)).toEqual(before);
  const [failed] = start.log();
  expect(failed?.event).toBe('start_failed');
  expect(check.output()).toContain(String(failed?.['error']));
  return String(failed?.['error']);
}

/** Starts and stops a service. Throws if it does not start. */
async function starts(environment: Environment = {}): Promise<string> {
  const server = await service.start(environment);
  expect(await server.stop()).toBe(0);
  return server.output();
}

/** Starts a service, creates a record, and kills it. */
async function killed(environment: Environment = {}): Promise<void> {
  const server = await service.start(environment);
  expect((await createCustomer(server)).status).toBe(201);
  await server.stop('SIGKILL');
}

const WAY_ON = 'restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one';

it('The first start creates a database and logs it, even after a start that was killed before creating one', async () => {
  const server = await service.start();
  expect(server.log()).toContainEqual(
    expect.objectContaining({ level: 'warn', event: 'database_created', file: service.database }),
  );
  await server.stop();
  expect(await starts()).not.toContain('database_create');
  for (const end of ['', '-wal', '-journal']) await writeFile(service.database + end, '');
  expect(await starts({ BACKUP_DIR: service.folder })).toContain('database_created');
});

it('A missing or empty database is not replaced if it has a backup, a marker or a replica, unless DATABASE_CREATE=yes is set', async () => {
  const BACKUP_DIR = service.folder;
  const backup = service.at('service-2026-01-01T00-00-00.000Z.db');
  await writeFile(backup, 'a backup');
  expect(await refusal({ BACKUP_DIR })).toContain(
    `it is missing, and ${backup} shows that there was one; ${WAY_ON}`,
  );
  await writeFile(service.database, '');
  expect(await refusal({ BACKUP_DIR })).toContain(`it is empty, and ${backup}`);
  const marker = service.at('service.db-open');
  await writeFile(marker, '');
  expect(await refusal()).toContain(`${marker} shows that there was one`);
  await rm(marker);
  expect(await refusal({ REPLICATION: 'async' })).toContain('and the replica may hold one');
  expect(await starts({ BACKUP_DIR, DATABASE_CREATE: 'yes' })).toContain('database_created');
});

it('The deleted log of a killed process is detected, unless DATABASE_CREATE=yes accepts the file as it is', async () => {
  await killed();
  await rm(`${service.database}-wal`);
  // Twice, because the first refusal must leave no log that could pass for the lost one.
  for (let start = 0; start < 2; start++) {
    expect(await refusal()).toContain(
      'its log is missing, and with it acknowledged writes; restore a backup, or start the service once with DATABASE_CREATE=yes to accept the loss',
    );
  }
  await starts({ DATABASE_CREATE: 'yes' });
  await starts();
});

it('A damaged file is refused after a kill, at every start', async () => {
  await starts();
  await killed();
  const bytes = await readFile(service.database);
  // The log has some of the pages, but not all.
  for (let page = 4096; page < bytes.length; page += 4096) bytes.fill(0xff, page, page + 164);
  await writeFile(service.database, bytes);
  for (let start = 0; start < 2; start++) expect(await refusal()).toContain('it is damaged');
});
