// Restores that meet others: what happens at each step is decided here, which
// processes of their own, in `node/restore`, leave to chance.

import fs, { copyFile, readFile, rename, writeFile } from 'node:fs/promises';
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
  const storage = await openLibsqlStorage({ path: join(made.path, 'old.db') });
  ({ recordCount: records } = await storage.backup(join(made.path, 'backup.db')));
  await storage.commit(changes({ puts: [row(1000)] }));
  await storage.close();
});
afterAll(() => made.remove());
beforeEach(async () => {
  folder = await openTemporaryFolder();
  backup = join(made.path, 'backup.db');
  place = join(folder.path, 'service.db');
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await folder.remove();
});

/** Puts another file in the place, as a restore does. */
async function putOld(): Promise<void> {
  await copyFile(join(made.path, 'old.db'), `${place}.other`);
  await rename(`${place}.other`, place);
}

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
      other = restoreDatabase({ backup, path: place, now: 2 }).catch((error: unknown) => error);
      await held.reached;
      return link(...args);
    });
    syncBuiltinESMExports();
    await restoreDatabase({ backup, path: place, now: 1 });
    expect(checkDatabase(place).recordCount).toBe(records);
    held?.release();
    expect(await other).toBeInstanceOf(Error);
    expect(checkDatabase(place).recordCount).toBe(records);
  });

  it('succeeds when the file system cannot sync a folder', async () => {
    await putOld();
    const { open } = fs;
    vi.spyOn(fs, 'open').mockImplementation(async (path, ...rest) => {
      if (path === folder.path) throw Object.assign(new Error('no folders'), { code: 'EINVAL' });
      return open(path, ...rest);
    });
    syncBuiltinESMExports();
    const { kept } = await restoreDatabase({ backup, path: place, now: 1 });
    expect(checkDatabase(place).recordCount).toBe(records);
    expect(kept).toContain('before-restore');
  });

  it('is refused when the file is replaced before it is locked', async () => {
    await putOld();
    const { stat } = fs;
    vi.spyOn(fs, 'stat').mockImplementation(async (path, ...options) => {
      const found = await stat(path, ...options);
      if (path === place) await putOld();
      return found;
    });
    syncBuiltinESMExports();
    await expect(restoreDatabase({ backup, path: place, now: 1 })).rejects.toThrow(
      'it was just replaced; look, then try again',
    );
    expect(checkDatabase(place).recordCount).toBe(records + 1);
  });

  it('does not replace a file that a service has made meanwhile', async () => {
    const { open } = fs;
    vi.spyOn(fs, 'open').mockImplementation(async (path, ...rest) => {
      // The place was empty, so the next step is to rename the copy.
      if (path === folder.path) await writeFile(place, 'of the service', { flag: 'a' });
      return open(path, ...rest);
    });
    syncBuiltinESMExports();
    await expect(restoreDatabase({ backup, path: place, now: 1 })).rejects.toThrow(
      /service\.db cannot be replaced: a service has just made it; stop it, then try again$/,
    );
    expect(await readFile(place, 'utf8')).toBe('of the service');
  });
});
