// Concurrent restores, and links.

import { mkdir, readlink, rename, symlink } from 'node:fs/promises';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { beforeEach, expect, it, vi } from 'vitest';
import { restoreDatabase } from '../../../src/storage/backup/restore.js';
import { checkDatabase } from '../../../src/storage/file/open-database.js';
import { testFolder } from '../../support/test-folder.js';

const folder = testFolder();
const [backup, place] = ['backup.db', 'service.db'];

beforeEach(async () => {
  const storage = await openLibsqlStorage({ path: folder.at(place) });
  await storage.backup(folder.at(backup));
  await storage.close();
});

it('A restore is refused during another one, and after one that was killed', async () => {
  await mkdir(folder.at('service.db.restoring'));
  await expect(restoreDatabase(folder.at(backup), folder.at(place), 1)).rejects.toThrow(
    `the backup ${folder.at(backup)} cannot be restored: ${folder.at(place)}.restoring exists; wait for the other restore, or remove the folder if that was killed`,
  );
});

it('A restore through a link puts the backup where it leads, and keeps the link', async () => {
  const real = folder.at('real.db');
  await rename(folder.at(place), real);
  await symlink('real.db', folder.at(place));
  // The superuser must name the file itself.
  vi.spyOn(process, 'getuid').mockReturnValueOnce(1_000);
  const { oldFile, contents } = await restoreDatabase(folder.at(backup), folder.at(place), 1);
  expect(checkDatabase(real)).toEqual({ ...contents, auditEventCount: 1 });
  expect(oldFile).toContain(folder.at('real-before-restore-'));
  expect(await readlink(folder.at(place))).toBe('real.db');
});
