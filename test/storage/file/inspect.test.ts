// What `--check` says of a database file, without a start.

import fs, { readdir, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from '../../../src/storage/file/connection.js';
import { inspectDatabase } from '../../../src/storage/file/inspect.js';
import { makeShopFile } from '../../support/shop-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

let folder: TemporaryFolder;
let path: string;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'service.db');
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await folder.remove();
});

describe('A database file', () => {
  it('that is missing or empty is absent, also with its folder', async () => {
    expect(await inspectDatabase(path)).toBe('absent');
    expect(await inspectDatabase(join(folder.path, 'a/b/service.db'))).toBe('absent');
    expect(await readdir(folder.path)).toEqual([]);
    await writeFile(path, '');
    expect(await inspectDatabase(path)).toBe('absent');
  });

  it('of this program is usable, or held by another process', async () => {
    await makeShopFile(path, { accounts: ['a'], records: 3, events: 3 });
    expect(await inspectDatabase(path)).toBe('usable');
    const other = join(folder.path, 'held.db');
    const service = new Connection(other);
    service.value('pragma locking_mode = exclusive');
    service.script('create table t (a); begin exclusive; commit');
    expect(await inspectDatabase(other)).toBe('held');
    service.close();
  });

  it('of another program, or below a file, cannot be used', async () => {
    await writeFile(path, 'This is a letter, not a database.\n'.repeat(500));
    await expect(inspectDatabase(path)).rejects.toThrow(
      `the database file ${path} cannot be used: it is not a SQLite database`,
    );
    await expect(inspectDatabase(join(path, 'a/service.db'))).rejects.toThrow(
      `its folder cannot be made: ${path} is a file; name another path`,
    );
  });

  // The superuser may read and write everything, so the system's answer is put in its place.
  it.each([
    [
      'EACCES',
      'this user may not read and write it, or not make it in its folder; check owner and permissions',
    ],
    ['EROFS', 'its disk is mounted read-only; mount it for writing'],
  ])('that cannot be written (%s) cannot be used', async (code, sentence) => {
    await writeFile(path, 'x');
    vi.spyOn(fs, 'access').mockRejectedValue(Object.assign(new Error('no'), { code }));
    syncBuiltinESMExports();
    const refusal = `the database file ${path} cannot be used: ${sentence}`;
    await expect(inspectDatabase(path)).rejects.toThrow(refusal);
    await expect(openLibsqlStorage({ path })).rejects.toThrow(refusal);
  });

  it('behind a link is usable, and refused if the link leads nowhere', async () => {
    const link = join(folder.path, 'link.db');
    await symlink(path, link);
    await expect(inspectDatabase(link)).rejects.toThrow(
      `the database file ${link} cannot be used: it is not there, and ${link} shows that one was there; restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one`,
    );
    await makeShopFile(path, { accounts: ['a'], records: 3, events: 3 });
    expect(await inspectDatabase(link)).toBe('usable');
  });
});
