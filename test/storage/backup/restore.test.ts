// Restores that meet others, and links.

import { lstat, mkdir, readdir, readlink, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkDatabase } from '../../../src/storage/backup/database-check.js';
import { restoreDatabase } from '../../../src/storage/backup/restore.js';
import { testFolder } from '../../support/test-folder.js';
import { changes, row } from '../storage-conformance.js';

const folder = testFolder();
let backup: string;
let place: string;
let records: number;

beforeEach(async () => {
  [backup, place] = [folder.at('backup.db'), folder.at('service.db')];
  const storage = await openLibsqlStorage({ path: place });
  ({ recordCount: records } = await storage.backup(backup));
  await storage.commit(changes({ puts: [row(1000)] }));
  await storage.close();
});

describe('A restore', () => {
  it('that meets another one fails or succeeds as a whole', async () => {
    const both = [1, 2].map((now) => restoreDatabase(backup, place, now));
    const ended = (await Promise.allSettled(both)).map(({ status }) => status);
    expect(ended).toContain('fulfilled');
    expect(checkDatabase(place).recordCount).toBe(records);
    expect((await readdir(folder.path)).join()).not.toContain('.restoring');
  });

  it.each([
    ['leads to the database', true],
    ['leads to a database that is missing', false],
  ])(
    'through a link that %s puts the backup where it leads, and keeps the link',
    async (_, isThere) => {
      const disk = folder.at('disk');
      await mkdir(disk);
      await rename(place, isThere ? join(disk, 'real.db') : folder.at('elsewhere.db'));
      await symlink('disk/real.db', place);
      // The superuser must name the file itself.
      vi.spyOn(process, 'getuid').mockReturnValueOnce(1_000);
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
