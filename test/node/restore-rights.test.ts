// A restore or an erasure by the superuser is refused if another user, who may be hostile, can
// redirect a path.

import { chmod, chown, lchown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { assertSafePath } from '../../src/storage/backup/superuser.js';
import { addToLedger } from '../../src/storage/erasures/ledger.js';
import { openRestoration } from '../support/restoration.js';
import { testFolder } from '../support/test-folder.js';

/** The user `nobody`, or an unused number. */
const SERVICE = 65_534;
const RUN_AS = `run it as the service's user: runuser -u "$(id -un 65534)" -- COMMAND`;

const { at } = testFolder();

beforeEach(async () => {
  await mkdir(at('data'));
  await writeFile(at('data/service.db'), '');
});

describe.runIf(process.getuid?.() === 0)('The superuser', () => {
  it.each<[string, () => Promise<void>]>([
    ['data/service.db', () => chown(at('data/service.db'), SERVICE, SERVICE)],
    ['data', () => chown(at('data'), SERVICE, SERVICE)],
    ['way', () => symlink('data', at('way')).then(() => lchown(at('way'), SERVICE, SERVICE))],
    ['data', () => chmod(at('data'), 0o777)],
  ])('is refused if another user can change %s', async (name, change) => {
    assertSafePath(at('data/service.db'));
    await change();
    const path = at(name === 'way' ? 'way/service.db' : 'data/service.db');
    expect(() => assertSafePath(path)).toThrow(
      `the superuser runs this, and another user can replace ${at(name)}; run it as the service's user: runuser -u `,
    );
  });

  it("restores no backup over another user's file", async () => {
    const on = await openRestoration();
    await chown(on.database, SERVICE, SERVICE);
    const before = await stat(on.database);
    const { code, stderr } = await on.restore([on.backup]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(RUN_AS)]);
    expect(await stat(on.database)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    await on.close();
  });

  const add = async (path: string) => {
    const line = { subject: 'a', erased: '2026-02-01T00:00:00.000Z' };
    return addToLedger(path, line);
  };

  it("does not add to a ledger in another user's folder, or through a link", async () => {
    await symlink(at('data/service.db'), at('ledger'));
    await expect(add(at('ledger'))).rejects.toThrow(/ELOOP/);
    expect((await stat(at('data/service.db'))).size).toBe(0);
    await chown(at('data'), SERVICE, SERVICE);
    await expect(add(at('data/ledger'))).rejects.toThrow(RUN_AS);
  });

  it("gives the ledger to the user of the backups' folder, who must be able to read it", async () => {
    await mkdir(at('backups'));
    await chown(at('backups'), SERVICE, SERVICE);
    for (let times = 0; times < 2; times++) {
      await add(at('backups-erased.ndjson'));
      const { uid, gid } = await stat(at('backups-erased.ndjson'));
      expect([uid, gid]).toEqual([SERVICE, SERVICE]);
      await chown(at('backups-erased.ndjson'), 0, 0);
    }
  });
});
