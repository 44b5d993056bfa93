// `node dist/manage.js restore FILE`: a backup in the place of the database.

import { copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { SAMPLE_RECORDS } from '../../src/core/domain/sample-records.js';
import { eventually } from '../support/eventually.js';
import { bearer } from '../support/node-service.js';
import { rawExchange, requestText } from '../support/raw-http.js';
import {
  BACKUP_RECORDS,
  openRestoration,
  type Restoration,
  recordsIn,
} from '../support/restoration.js';
import type { ServerProcess } from '../support/server-process.js';

/** What a restore prints: the sample records, and the one customer that was added to them. */
const COUNTS = [
  ...COLLECTION_NAMES.map((name): [string, number] => [
    name,
    SAMPLE_RECORDS.filter(({ collection }) => collection === name).length +
      (name === 'customers' ? 1 : 0),
  ]),
  ['records in all', BACKUP_RECORDS] as const,
  ['audit events', 0] as const,
];

let on: Restoration;

beforeEach(async () => {
  on = await openRestoration();
});
afterEach(() => on.close());

async function create(server: ServerProcess): Promise<void> {
  const head = [bearer('restore'), 'Connection: close'];
  const creation = requestText('POST', '/api/v1/customers', head, '{"name":"a","phone":"1"}');
  expect((await rawExchange(server.origin, creation))[0]?.status).toBe(201);
}

describe('A restore', () => {
  it('puts the backup in place, keeps the old database, and counts', async () => {
    const { code, stdout, stderr } = await on.restore([on.backup]);
    expect([code, stderr]).toEqual([0, '']);
    const [kept = ''] = await on.keptNames();
    expect(stdout).toBe(`${on.database} is now the backup ${on.backup}

${COUNTS.map(([name, count]) => `${name.padEnd(14)} ${String(count).padStart(9)}`).join('\n')}

The old one is now ${on.at(kept)}
`);
    expect(await recordsIn(on.at(kept))).toBe(BACKUP_RECORDS + 1);
    expect(await recordsIn(on.backup)).toBe(BACKUP_RECORDS);
    expect((await readdir(on.service.folder)).sort()).toEqual(['backups', kept, 'service.db']);
    expect((await stat(on.database)).mode & 0o777).toBe(0o600);
    const server = await on.service.start();
    await create(server);
    await server.stop();
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS + 1);
    expect(await recordsIn(on.backup)).toBe(BACKUP_RECORDS);
  });

  it('restores the old database in the same way', async () => {
    await on.restore([on.backup]);
    const [kept = ''] = await on.keptNames();
    expect((await on.restore([kept])).code).toBe(0);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS + 1);
    expect(await on.keptNames()).toHaveLength(2);
  });

  it("resolves the typed path against the caller's folder", async () => {
    const { code } = await on.restore(['backup.db'], { INIT_CWD: on.at('backups') });
    expect(code).toBe(0);
  });

  it.each([
    ['as --database', (path: string) => ['--database', path]],
    ['as --database, from where it was called', () => ['--database', 'new/service.db']],
    ['as --database, as DATABASE_URL has it', (path: string) => ['--database', `file:${path}`]],
    ['in a file of settings', () => ['--settings', 'settings']],
  ])('takes the database %s', async (_, argsFor) => {
    const path = on.at('new/service.db');
    await writeFile(on.at('settings'), `# the service's\nDATABASE_URL='file:${path}'\n`);
    const { code, stdout } = await on.restore([on.backup, ...argsFor(path)], {
      DATABASE_URL: undefined,
      INIT_CWD: on.service.folder,
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${path} is now the backup`)]);
    expect(await recordsIn(path)).toBe(BACKUP_RECORDS);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS + 1);
  });

  it('is done, without a word, where nobody reads its report', async () => {
    const { child, ended } = on.start([on.backup]);
    child.stdout?.destroy();
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS);
  });

  it('creates a missing database, and its folder', async () => {
    const path = on.at('new/deep/service.db');
    const { code, stdout } = await on.restore([on.backup], { DATABASE_URL: `file:${path}` });
    expect([code, stdout]).toEqual([0, expect.stringContaining('There was no database before.')]);
    expect(await readdir(on.at('new/deep'))).toEqual(['service.db']);
    expect(await recordsIn(path)).toBe(BACKUP_RECORDS);
  });

  it('keeps the log that a killed service left beside the file', async () => {
    const server = await on.service.start();
    await create(server);
    server.child.kill('SIGKILL');
    await server.exited;
    expect((await stat(`${on.database}-wal`)).size).toBeGreaterThan(0);
    // Such a file is a backup, too, together with its log.
    const pair = on.at('backups/pair.db');
    for (const suffix of ['', '-wal']) await copyFile(on.database + suffix, pair + suffix);
    expect((await on.restore([on.backup])).code).toBe(0);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS);
    const [kept = ''] = await on.keptNames();
    expect(await recordsIn(on.at(kept))).toBe(BACKUP_RECORDS + 2);
    expect((await on.restore([pair])).code).toBe(0);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS + 2);
  });

  it('replaces a file that is no longer a database, and keeps it with its log', async () => {
    await writeFile(on.database, 'nothing that can be read'.repeat(500));
    await writeFile(`${on.database}-wal`, 'nor this');
    expect((await on.restore([on.backup])).code).toBe(0);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS);
    const [kept = ''] = await on.keptNames();
    expect(await readFile(on.at(kept), 'utf8')).toMatch(/^nothing that/);
    expect(await readFile(on.at(`${kept}-wal`), 'utf8')).toBe('nor this');
  });

  it('keeps other programs out of the file while it is being replaced', async () => {
    const [begun, gate] = [on.at('begun'), on.at('gate')];
    const waits = module(`
      import fs from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      const { link, writeFile, access } = fs;
      fs.link = async (...args) => {
        await writeFile(${JSON.stringify(begun)}, '');
        while (await access(${JSON.stringify(gate)}).catch(() => true))
          await new Promise((then) => setTimeout(then, 5));
        return link(...args);
      };
      syncBuiltinESMExports();`);
    const restoring = on.restore([on.backup], {}, ['--import', waits]);
    await eventually(async () => expect(await readdir(on.service.folder)).toContain('begun'));
    await expect(runSql(on.database, 'select 1 from records')).rejects.toThrow(/locked/);
    await writeFile(gate, '');
    expect((await restoring).code).toBe(0);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS);
  });

  it('at the same time as others leaves one whole backup in place', async () => {
    const codes = await Promise.all(
      [1, 2, 3].map(async () => (await on.restore([on.backup])).code),
    );
    expect(codes).toContain(0);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS);
    const kept = await Promise.all((await on.keptNames()).map((name) => recordsIn(on.at(name))));
    expect(kept).toContain(BACKUP_RECORDS + 1);
  });

  it('that is killed before any of its steps leaves the old or the new database in place, and keeps the old one', async () => {
    const outcomes: unknown[] = [];
    const old = await readFile(on.database);
    for (let step = 1; outcomes.at(-1) !== 'done'; step++) {
      await writeFile(on.database, old);
      const { code, stdout } = await on.restore([on.backup], {}, ['--import', killedBefore(step)]);
      if (code === 0) {
        expect(stdout).toMatch(new RegExp(`^records in all +${BACKUP_RECORDS}$`, 'm'));
        outcomes.push('done');
        continue;
      }
      expect(code).toBeNull();
      const found = await recordsIn(on.database);
      expect([BACKUP_RECORDS, BACKUP_RECORDS + 1]).toContain(found);
      if (found === BACKUP_RECORDS) {
        const kept = await on.keptNames();
        const counts = await Promise.all(kept.map((name) => recordsIn(on.at(name))));
        expect(counts).toContain(BACKUP_RECORDS + 1);
      }
      outcomes.push(found);
      for (const name of await on.keptNames()) await rm(on.at(name));
    }
    // Both ends were seen, so the steps between them were.
    expect(outcomes).toContain(BACKUP_RECORDS + 1);
    expect(outcomes).toContain(BACKUP_RECORDS);
    expect(
      (await readdir(on.service.folder)).filter((name) => name.includes('.restoring')),
    ).toEqual([]);
  });
});

/** A module that ends its process before the n-th of the calls that write, sync or name files. */
function killedBefore(step: number): string {
  return module(`
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    let calls = 0;
    for (const name of ['open', 'lchown', 'link', 'rename']) {
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
