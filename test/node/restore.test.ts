// `node dist/restore.js FILE`: a backup in the place of the database, or the
// database as it was and one sentence.

import { spawn } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLibsqlJournal } from 'service-management-api/libsql';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkDatabase } from '../../src/storage/database-check.js';
import { changes, row } from '../storage/journal-conformance.js';
import { runSql } from '../support/database-file.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const RESTORE = fileURLToPath(new URL('../../dist/restore.js', import.meta.url));
const KEPT = /^service-before-restore-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.db$/;
const SAMPLE_RECORDS = 19;

let service: NodeService;
let database: string;
let backup: string;

/** A database with two records more than the samples, and a backup from between the two. */
const made = openTemporaryFolder().then(async ({ path, remove }) => {
  const journal = await openLibsqlJournal({ path: join(path, 'service.db') });
  await journal.commit(changes({ puts: [row(1000)] }));
  await journal.backup(join(path, 'backup.db'));
  await journal.commit(changes({ puts: [row(1001)] }));
  await journal.close();
  return { path, remove };
});
afterAll(async () => (await made).remove());

beforeEach(async () => {
  service = await openNodeService();
  database = at('service.db');
  backup = at('backups/backup.db');
  await mkdir(at('backups'));
  await copyFile(join((await made).path, 'service.db'), database);
  await copyFile(join((await made).path, 'backup.db'), backup);
});
afterEach(() => service.close());

function at(name: string): string {
  return join(service.folder, name);
}

async function create(server: ServerProcess): Promise<void> {
  const head = [bearer('restore'), 'Connection: close'];
  const creation = requestText('POST', '/api/v1/customers', head, '{"name":"a","phone":"1"}');
  expect((await rawExchange(server.origin, creation))[0]?.status).toBe(201);
}

async function restore(args: readonly string[], environment = {}, node: readonly string[] = []) {
  const child = spawn(process.execPath, [...node, RESTORE, ...args], {
    cwd: service.folder,
    env: { PATH: process.env['PATH'] ?? '', ...service.environment, ...environment },
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, ...text };
}

/** The sentence of a restore that must be refused, and must leave the database and its folder as they were. */
async function refusal(file: string): Promise<string> {
  const before = [await readdir(service.folder), await readFile(database)];
  const { code, stdout, stderr } = await restore([file]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).not.toMatch(/\n.|\bat .*:\d+/);
  expect([await readdir(service.folder), await readFile(database)]).toEqual(before);
  return stderr.trimEnd();
}

/** How many are in a database, and in the log beside it; looked up in a copy, which takes in the log. */
async function records(path = database): Promise<number> {
  const folder = await openTemporaryFolder();
  const copy = join(folder.path, 'copy.db');
  await copyFile(path, copy);
  await copyFile(`${path}-wal`, `${copy}-wal`).catch(() => {});
  const { recordCount } = await checkDatabase(copy);
  await folder.remove();
  return recordCount;
}

async function keptNames(): Promise<string[]> {
  return (await readdir(service.folder)).filter((name) => KEPT.test(name));
}

describe('A restore', () => {
  it('puts the backup in place, keeps the old database, and counts', async () => {
    const { code, stdout, stderr } = await restore([backup]);
    expect([code, stderr]).toEqual([0, '']);
    const [kept = ''] = await keptNames();
    expect(stdout).toBe(`${database} is now the backup ${backup}

businesses             1
customers              5
services               5
orders                 4
team                   2
expenses               3
records in all        20
audit events           0

The old one is now ${at(kept)}
`);
    expect(await records(at(kept))).toBe(SAMPLE_RECORDS + 2);
    expect(await records(backup)).toBe(SAMPLE_RECORDS + 1);
    expect((await readdir(service.folder)).sort()).toEqual(['backups', kept, 'service.db']);
    expect((await stat(database)).mode & 0o777).toBe(0o600);
    const server = await service.start();
    await create(server);
    await server.stop();
    expect(await records()).toBe(SAMPLE_RECORDS + 2);
    expect(await records(backup)).toBe(SAMPLE_RECORDS + 1);
  });

  it('brings the old database back by the same way', async () => {
    await restore([backup]);
    const [kept = ''] = await keptNames();
    expect((await restore([kept])).code).toBe(0);
    expect(await records()).toBe(SAMPLE_RECORDS + 2);
    expect(await keptNames()).toHaveLength(2);
  });

  it('takes a path as it was typed, wherever npm runs', async () => {
    const { code } = await restore(['backup.db'], { INIT_CWD: at('backups') });
    expect(code).toBe(0);
  });

  it('makes a database where there is none, and its folder', async () => {
    const path = at('new/deep/service.db');
    const { code, stdout } = await restore([backup], { DATABASE_URL: `file:${path}` });
    expect([code, stdout]).toEqual([0, expect.stringContaining('There was no database before.')]);
    expect(await readdir(at('new/deep'))).toEqual(['service.db']);
    expect(await records(path)).toBe(SAMPLE_RECORDS + 1);
  });

  it('keeps what a killed service has left in the log beside the file', async () => {
    const server = await service.start();
    await create(server);
    server.child.kill('SIGKILL');
    await server.exited;
    expect((await stat(`${database}-wal`)).size).toBeGreaterThan(0);
    // Such a file is a backup, too, together with its log.
    const pair = at('backups/pair.db');
    for (const suffix of ['', '-wal']) await copyFile(database + suffix, pair + suffix);
    expect((await restore([backup])).code).toBe(0);
    expect(await records()).toBe(SAMPLE_RECORDS + 1);
    const [kept = ''] = await keptNames();
    expect(await records(at(kept))).toBe(SAMPLE_RECORDS + 3);
    expect((await restore([pair])).code).toBe(0);
    expect(await records()).toBe(SAMPLE_RECORDS + 3);
  });

  it('replaces a file that is no database any more, and keeps it with its log', async () => {
    await writeFile(database, 'nothing that can be read'.repeat(500));
    await writeFile(`${database}-wal`, 'nor this');
    expect((await restore([backup])).code).toBe(0);
    expect(await records()).toBe(SAMPLE_RECORDS + 1);
    const [kept = ''] = await keptNames();
    expect(await readFile(at(kept), 'utf8')).toMatch(/^nothing that/);
    expect(await readFile(at(`${kept}-wal`), 'utf8')).toBe('nor this');
  });

  it('is refused while a service holds the file, which goes on', async () => {
    const server = await service.start();
    expect((await restore([backup])).stderr).toBe(
      `the database file ${database} cannot be replaced: a running service holds it; stop it first\n`,
    );
    await create(server);
    await server.stop();
    expect(await records()).toBe(SAMPLE_RECORDS + 3);
    expect(await keptNames()).toEqual([]);
  });

  it('lets nobody else into the file while it is being replaced', async () => {
    const [begun, gate] = [at('begun'), at('gate')];
    const waits = module(`
      import fs from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      const { link, writeFile, access } = fs;
      fs.link = async (...args) => {
        await writeFile(${JSON.stringify(begun)}, '');
        while (await access(${JSON.stringify(gate)}).catch(() => true));
        return link(...args);
      };
      syncBuiltinESMExports();`);
    const restoring = restore([backup], {}, ['--import', waits]);
    while (!(await readdir(service.folder)).includes('begun')) await undefined;
    await expect(runSql(database, 'select 1 from records')).rejects.toThrow(/locked/);
    await writeFile(gate, '');
    expect((await restoring).code).toBe(0);
    expect(await records()).toBe(SAMPLE_RECORDS + 1);
  });

  it.each([
    ['is not there', () => rm(backup), 'there is no such file; check the path (ENOENT)'],
    [
      'is a folder',
      async () => {
        await rm(backup);
        await mkdir(backup);
      },
      'it is not a file; name the backup itself',
    ],
    [
      'is no database',
      () => writeFile(backup, 'no database at all'.repeat(100)),
      'it is not a SQLite database; choose another one',
    ],
    [
      'is empty',
      () => writeFile(backup, ''),
      'it is no database of this program; choose another one',
    ],
    [
      "is another program's",
      () => runSql(backup, 'pragma application_id = 42'),
      'it is no database of this program; choose another one',
    ],
    [
      'is newer',
      () => runSql(backup, 'pragma user_version = 2'),
      'its schema has version 2, this program knows up to 1; choose another one',
    ],
    [
      'lacks a table',
      () => runSql(backup, 'drop table audit_events'),
      /^it is damaged \(.*no such table: audit_events\); choose another one$/,
    ],
    [
      'lacks its end',
      async () => writeFile(backup, (await readFile(backup)).subarray(0, -4096)),
      /^it is damaged \(.*\); choose another one$/,
    ],
    [
      'has an index that does not fit its table',
      async () => {
        const bytes = await readFile(backup);
        // In a leaf of the index, not in the table that the index is on.
        const entry = bytes.indexOf('customersCUS-0001', bytes.indexOf('customersCUS-0001') + 1);
        bytes.write('X', entry + 'customersCUS-'.length);
        await writeFile(backup, bytes);
      },
      /^it is damaged \(.*\); choose another one$/,
    ],
  ])('is refused where the backup %s', async (_what, change, reason) => {
    await change();
    const sentence = await refusal(backup);
    const start = `the backup ${backup} cannot be restored: `;
    expect(sentence.slice(0, start.length)).toBe(start);
    expect(sentence.slice(start.length)).toEqual(
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    );
  });

  it('is refused where the backup is the database itself', async () => {
    expect(await refusal(database)).toContain('it is the database file itself; name a backup');
  });

  it('explains itself where no backup, or more than one, is named', async () => {
    for (const args of [[], [backup, backup], ['--force']]) {
      const { code, stderr } = await restore(args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^npm run restore -- FILE\n/)]);
    }
    expect((await restore(['--help'])).code).toBe(0);
  });

  it('names the setting that is wrong', async () => {
    const { code, stderr } = await restore([backup], { DATABASE_URL: 'libsql://x?authToken=hush' });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^DATABASE_URL is a libsql URL/)]);
    expect(stderr).not.toContain('hush');
  });

  it('that is killed before any of its steps leaves the old or the new database, and the old one', async () => {
    const outcomes: unknown[] = [];
    const old = await readFile(database);
    for (let step = 1; outcomes.at(-1) !== 'done'; step++) {
      await writeFile(database, old);
      const { code, stdout } = await restore([backup], {}, ['--import', killedBefore(step)]);
      if (code === 0) {
        expect(stdout).toContain('records in all        20');
        outcomes.push('done');
        continue;
      }
      expect(code).toBeNull();
      const found = await records();
      expect([SAMPLE_RECORDS + 1, SAMPLE_RECORDS + 2]).toContain(found);
      if (found === SAMPLE_RECORDS + 1) {
        const kept = await keptNames();
        const counts = await Promise.all(kept.map((name) => records(at(name))));
        expect(counts).toContain(SAMPLE_RECORDS + 2);
      }
      outcomes.push(found);
      for (const name of await keptNames()) await rm(at(name));
    }
    // Both ends were seen, so the steps between them were.
    expect(outcomes).toContain(SAMPLE_RECORDS + 2);
    expect(outcomes).toContain(SAMPLE_RECORDS + 1);
    expect((await readdir(service.folder)).filter((name) => name.includes('.restoring'))).toEqual(
      [],
    );
  });
});

/** A module that ends its process before the n-th of the calls that write, sync or name files. */
function killedBefore(step: number): string {
  return module(`
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    let calls = 0;
    for (const name of ['open', 'chown', 'link', 'rename']) {
      const call = fs[name];
      fs[name] = (...args) => {
        if (++calls === ${step}) process.kill(process.pid, 'SIGKILL');
        return call(...args);
      };
    }
    syncBuiltinESMExports();`);
}

/** A module as Node's `--import` takes it. */
function module(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
