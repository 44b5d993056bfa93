// Restores that meet others, and links: what happens at each step is decided here, which
// processes of their own, in `node/restore`, leave to chance.

import fs, { copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkDatabase } from '../../../src/storage/backup/database-check.js';
import { restoreDatabase } from '../../../src/storage/backup/restore.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { changes, row } from '../storage-conformance.js';

let made: TemporaryFolder;
let records: number;
let folder: TemporaryFolder;
let backup: string;
let place: string;

beforeAll(async () => {
  made = await openTemporaryFolder();
  backup = join(made.path, 'backup.db');
  const storage = await openLibsqlStorage({ path: join(made.path, 'old.db') });
  ({ recordCount: records } = await storage.backup(backup));
  await storage.commit(changes({ puts: [row(1000)] }));
  await storage.close();
});
afterAll(() => made.remove());
beforeEach(async () => {
  folder = await openTemporaryFolder();
  place = join(folder.path, 'service.db');
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await folder.remove();
});

const putOld = () => copyFile(join(made.path, 'old.db'), place);

/** From here on a new file waits, made and empty, until `release`. */
function holdBackCopies() {
  const { open } = fs;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((reach) => {
    vi.spyOn(fs, 'open').mockImplementation(async (...args) => {
      const handle = await open(...args);
      if (args[1] !== 'wx') return handle;
      reach();
      await released;
      return handle;
    });
  });
  syncBuiltinESMExports();
  return { reached, release };
}

describe('A restore', () => {
  it('puts its own copy in place, although another restore is about to write one', async () => {
    await putOld();
    const { link } = fs;
    let other: Promise<unknown> | undefined;
    let held: ReturnType<typeof holdBackCopies> | undefined;
    // The copy is made and checked, and the file is held: only names are still to be given.
    vi.spyOn(fs, 'link').mockImplementationOnce(async (...args) => {
      held = holdBackCopies();
      other = restoreDatabase(backup, place, 2).catch((error: unknown) => error);
      await held.reached;
      return link(...args);
    });
    syncBuiltinESMExports();
    await restoreDatabase(backup, place, 1);
    expect(checkDatabase(place).recordCount).toBe(records);
    held?.release();
    expect(await other).toBeInstanceOf(Error);
    expect(checkDatabase(place).recordCount).toBe(records);
  });

  it.each([
    ['leads to the database', true],
    ['leads to a database that is missing', false],
  ])(
    'through a link that %s puts the backup where it leads, and keeps the link',
    async (_, isThere) => {
      await putOld();
      const disk = join(folder.path, 'disk');
      await mkdir(disk);
      await (isThere ? fs.rename(place, join(disk, 'real.db')) : fs.rm(place));
      await symlink('disk/real.db', place);
      // The superuser must name the file itself.
      vi.spyOn(process, 'getuid').mockReturnValue(1_000);
      const { kept } = await restoreDatabase(backup, place, 1);
      expect(checkDatabase(join(disk, 'real.db')).recordCount).toBe(records);
      expect([(await lstat(place)).isSymbolicLink(), await readlink(place)]).toEqual([
        true,
        'disk/real.db',
      ]);
      expect(kept !== undefined).toBe(isThere);
      expect(await readdir(disk)).toHaveLength(isThere ? 2 : 1);
    },
  );
});
