// `node dist/manage.js restore FILE`: a backup replaces the database, or a refusal leaves the
// database and its folder unchanged.

import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { createCustomer } from '../support/node-service.js';
import {
  BACKUP_RECORDS,
  openRestoration,
  type Restoration,
  recordsIn,
} from '../support/restoration.js';
import { spawnServer } from '../support/server-process.js';

const COUNTS = `${BACKUP_RECORDS} records and 0 audit events`;

let on: Restoration;

beforeEach(async () => {
  on = await openRestoration();
});
afterEach(() => on.close());

describe('A restore', () => {
  it('puts the backup in place, keeps the old database, prints counts, and adds an audit event', async () => {
    const { code, stdout, stderr } = await on.restore([on.backup]);
    expect([code, stderr]).toEqual([0, '']);
    const [kept = ''] = await on.keptNames();
    expect(stdout).toBe(
      `${on.database} is now the backup ${on.backup}: ${COUNTS}\nThe old one is now ${on.at(kept)}\n`,
    );
    expect(await recordsIn(on.at(kept))).toBe(BACKUP_RECORDS + 1);
    expect((await readdir(on.service.folder)).sort()).toEqual(['backups', kept, 'service.db']);
    expect((await stat(on.database)).mode & 0o777).toBe(0o600);
    const rows = await runSql(on.database, 'select event from audit_events');
    expect(rows.map(({ event }) => JSON.parse(String(event)))).toEqual([
      {
        actor: 'restore',
        action: 'restore',
        resource: 'database',
        record_id: 'backup.db',
        owner_sub: '',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        changed: [],
      },
    ]);
    await (await on.service.start()).stop();
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS);
    expect(await recordsIn(on.backup)).toBe(BACKUP_RECORDS);
  });

  it('takes the database’s path from a settings file, and creates a missing one and its folder', async () => {
    const path = on.at('new/deep/service.db');
    await writeFile(on.at('settings'), `# the service's\nDATABASE_URL='file:${path}'\n`);
    const { code, stdout } = await on.restore(['backups/backup.db', '--settings', 'settings'], {
      DATABASE_URL: undefined,
      INIT_CWD: on.service.folder,
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${path} is now the backup`)]);
    expect(stdout).toContain('There was no database before.');
    expect(await readdir(on.at('new/deep'))).toEqual(['service.db']);
    expect(await recordsIn(path)).toBe(BACKUP_RECORDS);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS + 1);
  });

  it('keeps the log that a killed service left, and can restore such a pair', async () => {
    const server = await on.service.start();
    expect((await createCustomer(server)).status).toBe(201);
    await server.stop('SIGKILL');
    const pair = on.at('backups/pair.db');
    for (const suffix of ['', '-wal']) await copyFile(on.database + suffix, pair + suffix);
    expect((await on.restore([on.backup])).code).toBe(0);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS);
    const [kept = ''] = await on.keptNames();
    expect(await recordsIn(on.at(kept))).toBe(BACKUP_RECORDS + 2);
    expect((await on.restore([pair])).code).toBe(0);
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS + 2);
    // The killed service's marker would make a start look for its log.
    await (await on.service.start()).stop();
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

  it.runIf(process.platform === 'linux')(
    'keeps other programs out of the file while it is being replaced, and a start that waited for it is refused',
    async () => {
      const [begun, gate] = [on.at('begun'), on.at('gate')];
      const waits = module(`
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { linkSync } = fs;
      fs.linkSync = (...args) => {
        fs.writeFileSync(${JSON.stringify(begun)}, '');
        while (!fs.existsSync(${JSON.stringify(gate)}))
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
        return linkSync(...args);
      };
      syncBuiltinESMExports();`);
      const restoring = on.restore([on.backup], {}, ['--import', waits]);
      await expect.poll(() => readdir(on.service.folder)).toContain('begun');
      await expect(runSql(on.database, 'select 1 from records')).rejects.toThrow(/locked/);
      const start = spawnServer(on.service.environment);
      await expect.poll(() => openFiles(start)).toContain(on.database);
      await writeFile(gate, '');
      expect((await restoring).code).toBe(0);
      expect(await start.exited).toBe(1);
      expect(start.output()).toContain('it was just replaced; start again');
      expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS);
    },
  );

  it('that is killed before any of its steps leaves the old or the new database in place, and keeps the old one', async () => {
    const outcomes: unknown[] = [];
    const old = await readFile(on.database);
    for (let step = 1; outcomes.at(-1) !== 'done'; step++) {
      await writeFile(on.database, old);
      const { code, stdout } = await on.restore([on.backup], {}, ['--import', killedBefore(step)]);
      if (code === 0) {
        expect(stdout).toContain(COUNTS);
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
      // The next restore requires this.
      await rm(`${on.database}.restoring`, { recursive: true, force: true });
    }
    // Both outcomes occurred, so the steps between them were covered.
    expect(outcomes).toEqual(expect.arrayContaining([BACKUP_RECORDS, BACKUP_RECORDS + 1]));
    expect((await readdir(on.service.folder)).join()).not.toContain('.restoring');
  });
});

async function openFiles({ child }: ReturnType<typeof spawnServer>): Promise<string[]> {
  const folder = `/proc/${child.pid}/fd`;
  const descriptors = await readdir(folder).catch(() => []);
  return Promise.all(descriptors.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
}

/** A module that ends its process before the n-th of the calls that write, sync or name files. */
function killedBefore(step: number): string {
  return module(`
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    let calls = 0;
    for (const name of ['copyFileSync', 'fsyncSync', 'linkSync', 'renameSync']) {
      const call = fs[name];
      fs[name] = (...args) => {
        if (++calls === ${step}) process.kill(process.pid, 'SIGKILL');
        return call(...args);
      };
    }
    syncBuiltinESMExports();`);
}

/** A module for Node's `--import`. */
function module(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

describe('A restore is refused', () => {
  async function refusal(
    code: number,
    args: readonly string[],
    environment?: Parameters<Restoration['restore']>[1],
  ): Promise<string> {
    const before = [await readdir(on.service.folder), await readFile(on.database)];
    const ended = await on.restore(args, environment);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect([await readdir(on.service.folder), await readFile(on.database)]).toEqual(before);
    return ended.stderr.trimEnd();
  }

  it('while a service holds the file, and the service continues', async () => {
    const server = await on.service.start();
    expect((await on.restore([on.backup])).stderr).toBe(
      `the backup ${on.backup} cannot be restored: a running service holds ${on.database}; stop it first\n`,
    );
    expect((await fetch(`${server.origin}/api/v1/health`)).status).toBe(200);
    await server.stop();
    expect(await recordsIn(on.database)).toBe(BACKUP_RECORDS + 1);
    expect(await on.keptNames()).toEqual([]);
  });

  it('if the ledger of erased accounts cannot be read', async () => {
    const ledger = on.at('backups-erased.ndjson');
    await mkdir(ledger);
    expect(await refusal(1, [on.backup])).toContain(
      `the ledger of erased accounts ${ledger} cannot be used (EISDIR)`,
    );
  });

  const DAMAGED = /^it is damaged \(.*\); name another file, or restore a good backup$/;
  it.each([
    [
      'is not there',
      () => rm(on.backup),
      'no such file or folder; check the path, or mount its disk',
    ],
    [
      'has an index that does not fit its table',
      async () => {
        const bytes = await readFile(on.backup);
        // In a leaf of the index, not in the table that the index is on.
        const entry = bytes.indexOf('customersCUS-0001', bytes.indexOf('customersCUS-0001') + 1);
        bytes.write('X', entry + 'customersCUS-'.length);
        await writeFile(on.backup, bytes);
      },
      DAMAGED,
    ],
  ])('if the backup %s', async (_what, change, reason) => {
    await change();
    const sentence = await refusal(1, [on.backup]);
    const start = `the backup ${on.backup} cannot be restored: `;
    expect(sentence.slice(0, start.length)).toBe(start);
    expect(sentence.slice(start.length)).toEqual(
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    );
  });

  it('if no backup is named, or no setting names the database', async () => {
    expect(await refusal(2, [])).toMatch(/\nmanage restore --help lists/);
    expect(await refusal(2, [on.backup], { DATABASE_URL: '' })).toBe(
      "DATABASE_URL is unset; pass the service's settings by --settings",
    );
  });
});
