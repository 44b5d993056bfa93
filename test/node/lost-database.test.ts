// A database that was there and is not: a start never puts an empty one in its place, unless
// the operator says so. And the first start of all, which has none and makes one.

import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LitestreamStub, openLitestreamStub } from '../support/litestream-stub.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import type { Environment } from '../support/program.js';
import { rawExchange, requestText } from '../support/raw-http.js';
import { type LogLine, spawnServer } from '../support/server-process.js';

const MANAGE = new URL('../../dist/manage.js', import.meta.url).pathname;

let service: NodeService;
let database: string;

beforeEach(async () => {
  service = await openNodeService();
  database = join(service.folder, 'service.db');
});
afterEach(() => service.close());

/** Why a start is refused. Throws where it is not, or where it leaves another folder than it found. */
async function refusal(environment: Environment = {}): Promise<string> {
  const before = await readdir(service.folder);
  const { exited, log, child } = spawnServer({ ...service.environment, ...environment });
  const code = await Promise.race([exited, started(log)]);
  if (code === 'started') child.kill('SIGKILL');
  expect([code, log().map(({ event }) => event)]).toEqual([1, ['start_failed']]);
  expect(await readdir(service.folder)).toEqual(before);
  return String(log()[0]?.['error']);
}

function check(environment: Environment = {}) {
  return spawnServer({ ...service.environment, ...environment }, { args: ['--check'] });
}

async function started(log: () => LogLine[]): Promise<'started'> {
  while (!log().some(({ event }) => event === 'started')) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return 'started';
}

const WAY_ON = 'restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one';

describe('The first start', () => {
  it('makes a database, and says so with its path', async () => {
    const server = await service.start();
    expect(server.log()).toContainEqual(
      expect.objectContaining({ level: 'warn', event: 'database_created', file: database }),
    );
    await server.stop();
    const again = await service.start();
    expect(again.output()).not.toContain('database_create');
  });

  it('is not refused after one that was killed before it had made the file', async () => {
    await writeFile(database, '');
    await writeFile(`${database}-wal`, '');
    await writeFile(`${database}-journal`, '');
    const server = await service.start({ BACKUP_DIR: service.folder });
    expect(server.output()).toContain('database_created');
  });
});

describe('A database that is gone', () => {
  it.each([
    ['not there', () => rm(database)],
    ['empty', () => writeFile(database, '')],
  ])('is not replaced where it is %s after a clean stop', async (word, lose) => {
    await (await service.start()).stop();
    await lose();
    expect(await refusal()).toBe(
      `the database file ${database} cannot be used: it is ${word}, and ${database}-state shows that one was there; ${WAY_ON}`,
    );
  });

  it('is not replaced beside a backup, in a folder that is empty', async () => {
    const backups = join(service.folder, 'backups');
    await mkdir(backups);
    const backup = join(backups, 'service-2026-01-01T00-00-00.000Z.db');
    await writeFile(backup, 'a backup');
    expect(await refusal({ BACKUP_DIR: backups })).toContain(
      `the backup ${backup} shows that there is one; ${WAY_ON}`,
    );
    expect(await readdir(backups)).toHaveLength(1);
  });

  it.each([
    'service.db-service-lock',
    '.service.db-litestream',
    'service.db-wal',
    'service-before-restore-2026-01-01T00-00-00.000Z.db',
    'service-saved-2026-01-01T00-00-00.000Z.db',
  ])('is not replaced beside %s', async (name) => {
    await writeFile(join(service.folder, name), 'x');
    expect(await refusal()).toContain(`${join(service.folder, name)} shows that one was there`);
  });

  it('is not replaced with REPLICATION=async', async () => {
    expect(await refusal({ REPLICATION: 'async' })).toContain(
      `it is not there, and the replica may hold one; ${WAY_ON}`,
    );
  });

  it('is judged by --check in the same way', async () => {
    await (await service.start()).stop();
    await rm(database);
    const refused = check();
    expect(await refused.exited).toBe(1);
    expect(refused.log()).toContainEqual(
      expect.objectContaining({
        event: 'check_failed',
        error: expect.stringContaining(WAY_ON),
      }),
    );
    expect(await check({ DATABASE_CREATE: 'yes' }).exited).toBe(0);
  });

  it('is replaced where DATABASE_CREATE=yes asks for it, and the next start says to take that out', async () => {
    await (await service.start()).stop();
    await rm(database);
    const server = await service.start({ DATABASE_CREATE: 'yes' });
    expect(server.output()).toContain('database_created');
    await server.stop();
    const again = await service.start({ DATABASE_CREATE: 'yes' });
    expect(again.output()).toContain('unset DATABASE_CREATE');
  });

  it('is replaced where DATABASE_CREATE=yes asks for it, also after a kill that left the mark', async () => {
    await killed();
    for (const name of [database, `${database}-wal`]) await rm(name);
    const server = await service.start({ DATABASE_CREATE: 'yes' });
    expect(server.output()).toContain('database_created');
  });
});

/** Starts a service, has a record created, and kills it. */
async function killed(environment: Environment = {}): Promise<void> {
  const server = await service.start(environment);
  const creation = requestText(
    'POST',
    '/api/v1/customers',
    [bearer('lost'), 'Connection: close'],
    '{"name":"Neema","phone":"1"}',
  );
  expect((await rawExchange(server.origin, creation))[0]?.status).toBe(201);
  server.child.kill('SIGKILL');
  await server.exited;
}

const GONE = 'it was not closed, and its log';

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
  });

  it('is gone on without where the mark is deleted', async () => {
    await killed();
    await rm(`${database}-wal`);
    await rm(`${database}-state`);
    await (await service.start()).stop();
  });

  it('is not missed after a clean stop, nor where it is there', async () => {
    await killed();
    expect((await stat(`${database}-wal`)).size).toBeGreaterThan(0);
    const server = await service.start();
    expect(await server.stop()).toBe(0);
    await expect(stat(`${database}-wal`)).rejects.toThrow('ENOENT');
    expect(await (await service.start()).stop()).toBe(0);
  });

  it('is not missed beside a file of an earlier release, which has no mark', async () => {
    await (await service.start()).stop();
    await rm(`${database}-state`);
    expect(await (await service.start()).stop()).toBe(0);
  });

  it('is not missed after a start that wrote it back and then could not listen', async () => {
    await killed();
    const refused = spawnServer({ ...service.environment, HOST: '192.0.2.1' });
    expect(await refused.exited).toBe(1);
    await expect(stat(`${database}-wal`)).rejects.toThrow('ENOENT');
    expect(await (await service.start()).stop()).toBe(0);
  });

  it('is not missed after --check, which writes it back', async () => {
    await killed();
    expect(await check().exited).toBe(0);
    expect(await (await service.start()).stop()).toBe(0);
  });

  it('is not missed after a restore', async () => {
    await killed();
    const backup = join(service.folder, 'backup.db');
    await copyFile(database, backup);
    await copyFile(`${database}-wal`, `${backup}-wal`);
    await rm(`${database}-wal`);
    const restored = spawnServer(service.environment, {
      script: MANAGE,
      args: ['restore', backup],
    });
    expect([await restored.exited, restored.output()]).toEqual([
      0,
      expect.stringContaining('is now the backup'),
    ]);
    expect(await (await service.start()).stop()).toBe(0);
  });
});

describe('A log that is gone beside a replica', () => {
  const REPLICATED: Record<string, string> = {};
  let litestream: LitestreamStub;

  beforeEach(async () => {
    const socket = join(service.folder, 'litestream.sock');
    REPLICATED['REPLICATION'] = `async:${socket}`;
    litestream = await openLitestreamStub(socket, database);
    await (await service.start()).stop();
    await killed(REPLICATED);
  });
  afterEach(() => litestream.close());

  it.each([
    ['gone', () => rm(`${database}-wal`)],
    ['empty', () => writeFile(`${database}-wal`, '')],
  ])('ends the start and --check with a sentence where it is %s', async (_, lose) => {
    await lose();
    // The close of a refused start removes it.
    await rm(`${database}-shm`);
    const sentence = `the database file ${database} cannot be used: ${GONE} ${database}-wal is gone or empty; put the log back, or restore the replica in place of the file: it has the writes that were only in the log. If another program, such as sqlite3, opened the file since, it wrote the log into the file: delete ${database}-state to start with it`;
    const checked = check(REPLICATED);
    expect([await checked.exited, checked.output()]).toEqual([
      1,
      expect.stringContaining(sentence),
    ]);
    expect(await refusal(REPLICATED)).toBe(sentence);
  });

  it('is not missed where it is there, nor after a clean stop, nor where the mark is deleted', async () => {
    expect(await (await service.start(REPLICATED)).stop()).toBe(0);
    await rm(`${database}-wal`, { force: true });
    await killed(REPLICATED);
    await rm(`${database}-wal`);
    await rm(`${database}-state`);
    expect(await (await service.start(REPLICATED)).stop()).toBe(0);
  });

  it('is not missed by another file, which litestream restore puts in place', async () => {
    await rm(`${database}-wal`);
    await copyFile(database, join(service.folder, 'restored.db'));
    await rename(join(service.folder, 'restored.db'), database);
    expect(await (await service.start(REPLICATED)).stop()).toBe(0);
  });

  it('is not missed by another file that was given the same inode: its time of birth is another one', async () => {
    await rm(`${database}-wal`);
    const mark = await readFile(`${database}-state`, 'utf8');
    const { ino, birthtimeNs } = await stat(database, { bigint: true });
    expect(mark).toBe(`in use\n${ino} ${birthtimeNs}\n`);
    await writeFile(`${database}-state`, `in use\n${ino} ${birthtimeNs - 1n}\n`);
    expect(await (await service.start(REPLICATED)).stop()).toBe(0);
  });

  it('is missed where replication is off, whichever file it is, as in a copied folder', async () => {
    await rm(`${database}-wal`);
    await copyFile(database, join(service.folder, 'copied.db'));
    await rename(join(service.folder, 'copied.db'), database);
    expect(await refusal()).toContain(`${GONE} ${database}-wal is gone, with the only copy`);
  });
});
