// A restore by the superuser in a folder of another user, who may be hostile:
// that user's rights are all it has there.

import { spawn } from 'node:child_process';
import {
  chmod,
  chown,
  copyFile,
  lstat,
  mkdir,
  readdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { addToLedger } from '../../src/erasures/ledger.js';
import { ownerOnTheWay } from '../../src/storage/backup/owner-rights.js';
import { BACKUP_RECORDS, openRestoration, type Restoration } from '../support/restoration.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

/** The user `nobody`, or no user at all: a number is enough. */
const SERVICE = 65_534;
const isRoot = process.getuid?.() === 0;

let on: Restoration;
/** A folder that only the superuser can read. */
let vault: TemporaryFolder;

beforeEach(async () => {
  on = await openRestoration();
  vault = await openTemporaryFolder();
  if (!isRoot) return;
  for (const name of ['', 'backups', 'service.db', 'backups/backup.db']) {
    await chown(on.at(name), SERVICE, SERVICE);
  }
});
afterEach(async () => {
  await on.close();
  await vault.remove();
});

/** A copy that belongs to the superuser: newer versions of Node copy the owner, too. */
async function copyForRoot(source: string, target: string): Promise<void> {
  await copyFile(source, target);
  await chown(target, 0, 0);
}

/** Puts a link to `target` in the place of each new file of a restore, as fast as it can. */
function startRacer(target: string) {
  const code = `
    const fs = require('node:fs');
    process.stdout.write('ready');
    for (;;) for (const name of fs.readdirSync('.')) {
      if (!/\\.restoring-[0-9-]+$/.test(name)) continue;
      try {
        if (fs.lstatSync(name).isSymbolicLink()) continue;
        fs.symlinkSync(${JSON.stringify(target)}, 'link');
        fs.renameSync('link', name);
      } catch {}
    }`;
  const child = spawn(process.execPath, ['--eval', code], {
    cwd: on.service.folder,
    uid: SERVICE,
    gid: SERVICE,
    env: {},
  });
  const ready = new Promise((resolve) => child.stdout.once('data', resolve));
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    ready,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe.runIf(isRoot)('A restore by the superuser', () => {
  it('gives no file to a user who puts links in its place meanwhile', async () => {
    // A whole database of the same program: every check of its contents passes.
    const secret = join(vault.path, 'secret.db');
    await copyForRoot(on.backup, secret);
    const racer = startRacer(secret);
    await racer.ready;
    for (let round = 0; round < 3; round++) await on.restore([on.backup]);
    await racer.stop();
    const { uid, mode } = await stat(secret);
    expect([uid, mode & 0o077]).toEqual([0, 0]);
    for (const name of await readdir(on.service.folder)) {
      const found = await lstat(on.at(name));
      if (found.isFile()) expect([name, found.uid]).toEqual([name, SERVICE]);
    }
  });

  it('leaves files that the user of the folder owns', async () => {
    const { code, stderr } = await on.restore([on.backup]);
    expect([code, stderr]).toEqual([0, '']);
    const [kept = ''] = await on.keptNames();
    for (const path of [on.database, on.at(kept)]) {
      const { uid, gid, mode } = await stat(path);
      expect([uid, gid, mode & 0o777]).toEqual([SERVICE, SERVICE, 0o600]);
    }
  });

  it('takes a backup that only the superuser may read, from a place of its own', async () => {
    const own = join(vault.path, 'backup.db');
    await copyForRoot(on.backup, own);
    await chmod(own, 0o600);
    const { code, stdout, stderr } = await on.restore([own]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`records in all        ${BACKUP_RECORDS}`);
  });

  it('opens a backup in a folder that others may write to as the user alone', async () => {
    await mkdir(join(vault.path, 'shared'));
    const own = join(vault.path, 'shared/backup.db');
    await copyForRoot(on.backup, own);
    await chmod(own, 0o600);
    await chmod(vault.path, 0o755);
    await chmod(join(vault.path, 'shared'), 0o777);
    const { code, stderr } = await on.restore([own]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/it cannot be read by the user 65534/),
    ]);
  });

  it("does not read the target of that user's link", async () => {
    const secret = join(vault.path, 'secret.db');
    await copyForRoot(on.backup, secret);
    await symlink(secret, on.at('backups/link.db'));
    const { code, stderr } = await on.restore([on.at('backups/link.db')]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/it cannot be read by the user 65534/),
    ]);
    expect(await on.keptNames()).toEqual([]);
  });

  it("does not replace a file of the superuser through a user's link", async () => {
    const precious = join(vault.path, 'precious');
    await copyForRoot(on.backup, precious);
    const before = await stat(precious);
    await symlink(precious, on.at('link.db'));
    const { code } = await on.restore([on.backup], { DATABASE_URL: `file:${on.at('link.db')}` });
    expect(code).toBe(1);
    expect(await stat(precious)).toMatchObject({
      ino: before.ino,
      mtimeMs: before.mtimeMs,
      uid: 0,
    });
  });

  it('is refused in a folder of the superuser that others may write to', async () => {
    await mkdir(join(vault.path, 'shared'));
    await chmod(join(vault.path, 'shared'), 0o777);
    const { code, stderr } = await on.restore([on.backup], {
      DATABASE_URL: `file:${vault.path}/shared/service.db`,
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/others may write to it; run this as/),
    ]);
  });

  it('is refused where it cannot read the ledger that the superuser wrote; erasures give it away', async () => {
    const path = on.at('backups-erased.ndjson');
    const bytes = (size: number) => new Uint8Array(size);
    const line = { subject: 'a', erased: '2026-02-01T00:00:00.000Z', records: {} };
    await addToLedger(path, line, bytes);
    expect(await stat(path)).toMatchObject({ uid: SERVICE, gid: SERVICE });
    expect((await on.restore([on.backup])).code).toBe(0);
    await chown(path, 0, 0);
    const { code, stderr } = await on.restore([on.backup]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/cannot be used by this user \(EACCES\).*chown USER/),
    ]);
    // In a folder of the superuser beside backups of the service's user, and an older one that the superuser has.
    await mkdir(join(vault.path, 'backups'));
    await chown(join(vault.path, 'backups'), SERVICE, SERVICE);
    const beside = join(vault.path, 'backups-erased.ndjson');
    await addToLedger(beside, line, bytes);
    await chown(beside, 0, 0);
    await addToLedger(beside, line, bytes);
    expect(await stat(beside)).toMatchObject({ uid: SERVICE, gid: SERVICE });
    expect(process.geteuid?.()).toBe(0);
  });

  it('lets nobody turn the ledger of an erasure to a file of the superuser', async () => {
    const precious = join(vault.path, 'precious');
    await writeFile(precious, '', { mode: 0o600 });
    await symlink(precious, on.at('backups-erased.ndjson'));
    const line = { subject: 'a', erased: '2026-02-01T00:00:00.000Z', records: {} };
    await expect(
      addToLedger(on.at('backups-erased.ndjson'), line, (size) => new Uint8Array(size)),
    ).rejects.toThrow(/EACCES/);
    expect(await stat(precious)).toMatchObject({ uid: 0, size: 0 });
  });

  it("finds the folder's owner through links, and none when the superuser owns all", async () => {
    const owner = { uid: SERVICE, gid: SERVICE };
    expect(await ownerOnTheWay(on.database)).toEqual(owner);
    await symlink(on.service.folder, join(vault.path, 'way'));
    expect(await ownerOnTheWay(join(vault.path, 'way/service.db'))).toEqual(owner);
    await mkdir(join(vault.path, 'deep'));
    await symlink(`../.././${basename(on.service.folder)}`, join(vault.path, 'deep/way'));
    expect(await ownerOnTheWay(join(vault.path, 'deep/way/service.db'))).toEqual(owner);
    expect(await ownerOnTheWay(join(vault.path, 'new/service.db'))).toBeUndefined();
  });
});

describe('A restore', () => {
  it('leaves an event in the audit log of the database it puts in place', async () => {
    if (isRoot) for (const name of ['', 'backups']) await chown(on.at(name), 0, 0);
    expect((await on.restore([on.backup])).code).toBe(0);
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
  });
});
