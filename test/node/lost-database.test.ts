// A database that was there and is not: a start never puts an empty one in its place, unless
// the operator says so. And the first start of all, which has none and makes one.

import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLitestreamStub } from '../support/litestream-stub.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import type { Environment } from '../support/program.js';
import { rawExchange, requestText } from '../support/raw-http.js';
import { type How, spawnServer } from '../support/server-process.js';

const MANAGE = new URL('../../dist/manage.js', import.meta.url).pathname;

let service: NodeService;
let database: string;

beforeEach(async () => {
  service = await openNodeService();
  database = join(service.folder, 'service.db');
});
afterEach(() => service.close());

/** Why a start is refused, and `--check`. Throws if one is not, or leaves another folder than it found. */
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

/** Starts a service, has a record created, and kills it. */
async function killed(environment: Environment = {}): Promise<void> {
  const server = await service.start(environment);
  const head = [bearer('lost'), 'Connection: close'];
  const creation = requestText('POST', '/api/v1/customers', head, '{"name":"a","phone":"1"}');
  expect((await rawExchange(server.origin, creation))[0]?.status).toBe(201);
  server.child.kill('SIGKILL');
  await server.exited;
}

/** Puts a copy of the file in its place, as `litestream restore` puts another file there. */
async function replace(): Promise<void> {
  await copyFile(database, join(service.folder, 'other.db'));
  await rename(join(service.folder, 'other.db'), database);
}

const WAY_ON = 'restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one';
const GONE = 'it was not closed, and its log';

it('The first start makes a database and says so, also after one that was killed before it had made it', async () => {
  const server = await service.start();
  expect(server.log()).toContainEqual(
    expect.objectContaining({ level: 'warn', event: 'database_created', file: database }),
  );
  await server.stop();
  expect(await starts()).not.toContain('database_create');
  for (const end of ['', '-wal', '-journal']) await writeFile(database + end, '');
  await rm(`${database}-state`);
  expect(await starts({ BACKUP_DIR: service.folder })).toContain('database_created');
});

describe('A database that is gone', () => {
  it.each([
    ['not there', () => rm(database)],
    ['empty', () => writeFile(database, '')],
  ])(
    'is not replaced where it is %s, unless DATABASE_CREATE=yes asks for it',
    async (word, lose) => {
      await starts();
      await lose();
      expect(await refusal()).toBe(
        `the database file ${database} cannot be used: it is ${word}, and ${database}-state shows that one was there; ${WAY_ON}`,
      );
      expect(await starts({ DATABASE_CREATE: 'yes' })).toContain('database_created');
      expect(await starts({ DATABASE_CREATE: 'yes' })).toContain('unset DATABASE_CREATE');
      // Also after a kill that left the mark.
      await killed();
      for (const name of [database, `${database}-wal`]) await rm(name);
      expect(await starts({ DATABASE_CREATE: 'yes' })).toContain('database_created');
    },
  );

  it('is not replaced beside a backup or any file that only a database leaves, nor with a replica', async () => {
    const backups = join(service.folder, 'backups');
    await mkdir(backups);
    const backup = join(backups, 'service-2026-01-01T00-00-00.000Z.db');
    await writeFile(backup, 'a backup');
    expect(await refusal({ BACKUP_DIR: backups })).toContain(
      `the backup ${backup} shows that there is one; ${WAY_ON}`,
    );
    for (const name of [
      'service.db-service-lock',
      '.service.db-litestream',
      'service.db-wal',
      'service-before-restore-2026-01-01T00-00-00.000Z.db',
      'service-saved-2026-01-01T00-00-00.000Z.db',
    ]) {
      const mark = join(service.folder, name);
      await writeFile(mark, 'x');
      expect(await refusal()).toContain(`${mark} shows that one was there`);
      await rm(mark);
    }
    expect(await refusal({ REPLICATION: 'async' })).toContain(
      `it is not there, and the replica may hold one; ${WAY_ON}`,
    );
  });
});

describe('A log that is gone', () => {
  it('after a kill ends the start with a sentence, every time, and changes nothing', async () => {
    await killed();
    await rm(`${database}-wal`);
    const bytes = await readFile(database);
    for (let time = 0; time < 2; time++) {
      expect(await refusal()).toBe(
        `the database file ${database} cannot be used: ${GONE} ${database}-wal is gone, with the only copy of the newest writes; put the log back, restore a backup, or delete ${database}-state to start without them`,
      );
    }
    expect((await readFile(database)).equals(bytes)).toBe(true);
    // Whichever file it is, as in a copied folder.
    await replace();
    expect(await refusal()).toContain(`${GONE} ${database}-wal is gone, with the only copy`);
    await rm(`${database}-state`);
    await starts();
  });

  const ended = (code: number, environment: Environment, how?: How) =>
    spawnServer({ ...service.environment, ...environment }, how).exited.then((found) =>
      expect(found).toBe(code),
    );

  it.each<[string, () => Promise<unknown>]>([
    ['a clean stop', () => starts()],
    ['a start that could not listen', () => ended(1, { HOST: '192.0.2.1' })],
    ['--check', () => ended(0, {}, { args: ['--check'] })],
    [
      'a restore',
      async () => {
        const backup = join(service.folder, 'backup.db');
        for (const end of ['', '-wal']) await copyFile(database + end, backup + end);
        await rm(`${database}-wal`);
        await ended(0, {}, { script: MANAGE, args: ['restore', backup] });
      },
    ],
  ])('is not missed after %s', async (_, after) => {
    await killed();
    expect((await stat(`${database}-wal`)).size).toBeGreaterThan(0);
    await after();
    await expect(stat(`${database}-wal`)).rejects.toThrow('ENOENT');
    await starts();
  });

  it('beside a replica ends the start with a sentence, but for another file, or without the mark', async () => {
    const socket = join(service.folder, 'litestream.sock');
    const replicated = { REPLICATION: `async:${socket}` };
    const litestream = await openLitestreamStub(socket, database);
    await starts();
    await killed(replicated);
    for (const lose of [
      () => writeFile(`${database}-wal`, ''),
      () => rm(`${database}-wal`, { force: true }),
    ]) {
      await lose();
      // The close of a refused start removes it.
      await rm(`${database}-shm`, { force: true });
      expect(await refusal(replicated)).toBe(
        `the database file ${database} cannot be used: ${GONE} ${database}-wal is gone or empty; put the log back, or restore the replica in place of the file: it has the writes that were only in the log. If another program, such as sqlite3, opened the file since, it wrote the log into the file: delete ${database}-state to start with it`,
      );
    }
    // Another file that was given the same inode: its time of birth is another one.
    const { ino, birthtimeNs } = await stat(database, { bigint: true });
    expect(await readFile(`${database}-state`, 'utf8')).toBe(`in use\n${ino} ${birthtimeNs}\n`);
    await writeFile(`${database}-state`, `in use\n${ino} ${birthtimeNs - 1n}\n`);
    await starts(replicated);
    for (const letGo of [replace, () => rm(`${database}-state`)]) {
      await killed(replicated);
      await rm(`${database}-wal`);
      await letGo();
      await starts(replicated);
    }
    await litestream.close();
  });
});
