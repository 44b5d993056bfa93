// Restores that meet others, and links.

import { readdir, readlink, rename, symlink } from 'node:fs/promises';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { beforeEach, expect, it, vi } from 'vitest';
import { restoreDatabase } from '../../../src/storage/backup/restore.js';
import { checkDatabase } from '../../../src/storage/file/own-database.js';
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

it('A restore that meets another one fails or succeeds as a whole', async () => {
  const both = [1, 2].map((now) => restoreDatabase(backup, place, now));
  const ended = (await Promise.allSettled(both)).map(({ status }) => status);
  expect(ended).toContain('fulfilled');
  expect(checkDatabase(place).recordCount).toBe(records);
  expect((await readdir(folder.path)).join()).not.toContain('.restoring');
});

it('A restore through a link puts the backup where it leads, and keeps the link', async () => {
  const real = folder.at('real.db');
  await rename(place, real);
  await symlink('real.db', place);
  // The superuser must name the file itself.
  vi.spyOn(process, 'getuid').mockReturnValueOnce(1_000);
  const { kept } = await restoreDatabase(backup, place, 1);
  expect(checkDatabase(real).recordCount).toBe(records);
  expect(kept).toContain(folder.at('real-before-restore-'));
  expect(await readlink(place)).toBe('real.db');
});
