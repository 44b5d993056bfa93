// A restore, and an erasure, by the superuser: where another user, who may be hostile, can
// change where a path leads, they are refused.

import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { addToLedger } from '../../src/storage/erasures/ledger.js';
import { openRestoration, type Restoration } from '../support/restoration.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

/** The user `nobody`, or no user at all: a number is enough. */
const SERVICE = 65_534;
const isRoot = process.getuid?.() === 0;

let on: Restoration;
let vault: TemporaryFolder;

beforeEach(async () => {
  on = await openRestoration();
  vault = await openTemporaryFolder();
});
afterEach(async () => {
  await on.close();
  await vault.remove();
});

describe.runIf(isRoot)('A restore by the superuser', () => {
  it.each(['the file', 'its folder'])(
    'is refused, with the user to run it as, where another user has %s',
    async (what) => {
      if (what === 'the file') await chown(on.database, SERVICE, SERVICE);
      if (what === 'its folder') await chown(on.service.folder, SERVICE, SERVICE);
      const before = await stat(on.database);
      const { code, stderr } = await on.restore([on.backup]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /belongs to the user 65534, .*: runuser -u "\$\(id -un 65534\)" -- COMMAND/,
        ),
      ]);
      expect(await stat(on.database)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    },
  );

  it('is refused, with the place to name, where the path leads through a link', async () => {
    await symlink(on.service.folder, join(vault.path, 'way'));
    const { code, stderr } = await on.restore([on.backup], {
      DATABASE_URL: `file:${vault.path}/way/service.db`,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`; name ${on.database}\n`)]);
  });

  it('is done where the superuser owns the file and all folders above it', async () => {
    const { code, stderr } = await on.restore([on.backup]);
    expect([code, stderr]).toEqual([0, '']);
    const [kept = ''] = await on.keptNames();
    for (const path of [on.database, on.at(kept)]) {
      const { uid, gid, mode } = await stat(path);
      expect([uid, gid, mode & 0o777]).toEqual([0, 0, 0o600]);
    }
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
});

describe.runIf(isRoot)('An erasure by the superuser', () => {
  const bytes = (size: number) => new Uint8Array(size);
  const line = { subject: 'a', erased: '2026-02-01T00:00:00.000Z', records: {} };

  it("is refused, with the user to run it as, where the ledger is in another user's folder", async () => {
    await chown(on.service.folder, SERVICE, SERVICE);
    await expect(addToLedger(on.at('backups-erased.ndjson'), line, bytes)).rejects.toThrow(
      /^the ledger of erased accounts .* cannot be used: .* runuser -u "\$\(id -un 65534\)" -- COMMAND$/,
    );
  });

  it('follows no link to a file of the superuser', async () => {
    const precious = join(vault.path, 'precious');
    await writeFile(precious, '', { mode: 0o600 });
    await symlink(precious, on.at('backups-erased.ndjson'));
    await expect(addToLedger(on.at('backups-erased.ndjson'), line, bytes)).rejects.toThrow(/ELOOP/);
    expect(await stat(precious)).toMatchObject({ uid: 0, size: 0 });
  });

  it("gives the ledger to the user of the backups' folder, who has to read it", async () => {
    await mkdir(join(vault.path, 'backups'));
    await chown(join(vault.path, 'backups'), SERVICE, SERVICE);
    const beside = join(vault.path, 'backups-erased.ndjson');
    await addToLedger(beside, line, bytes);
    await chown(beside, 0, 0);
    await addToLedger(beside, line, bytes);
    expect(await stat(beside)).toMatchObject({ uid: SERVICE, gid: SERVICE });
  });
});

describe('A restore', () => {
  it('leaves an event in the audit log of the database it puts in place', async () => {
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
