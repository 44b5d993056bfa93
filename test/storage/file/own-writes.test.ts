// The open database file is written by this process alone: what another program writes is noticed,
// and what this one writes is not taken for another's.

import { copyFile, truncate, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileStorage, openLibsqlStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { changes, row, rows } from '../storage-conformance.js';

let folder: TemporaryFolder;
let path: string;
let storage: FileStorage;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'service.db');
  storage = await openLibsqlStorage({ path });
});
afterEach(async () => {
  await storage.close();
  await folder.remove();
});

it('Commits, log write-backs, trial commits and backups are its own', async () => {
  for (let round = 0; round < 20; round++) {
    // Together more than the 1,000 pages at which SQLite writes the log back.
    await storage.commit(changes({ puts: rows(300, 1000 + 300 * round) }));
    expect(await storage.isIntact()).toBe(true);
  }
  await storage.backup(join(folder.path, 'backup.db'));
  await storage.touch();
  await storage.commit(changes({ removals: rows(900, 1000).map(({ position }) => position) }));
  expect(await storage.isIntact()).toBe(true);
});

it.each([
  ['copied over it', () => copyFile(join(folder.path, 'backup.db'), path)],
  ['cut', () => truncate(path, 4_096)],
  ['touched', () => utimes(path, 1, 1)],
])('A file that is %s is not intact, whatever is committed after', async (_, write) => {
  await storage.backup(join(folder.path, 'backup.db'));
  await storage.commit(changes({ puts: [row(1000)] }));
  await write();
  await storage.commit(changes({ puts: [row(1001)] }));
  expect(await storage.isIntact()).toBe(false);
  await storage.touch().catch(() => {});
  expect(await storage.isIntact()).toBe(false);
});

it('A file that another program wrote is not marked as closed', async () => {
  await storage.backup(join(folder.path, 'backup.db'));
  await storage.commit(changes({ puts: [row(1000)] }));
  await copyFile(join(folder.path, 'backup.db'), path);
  await storage.close();
  await expect(openLibsqlStorage({ path })).rejects.toThrow('it was not closed, and its log');
  storage = await openLibsqlStorage({ path: join(folder.path, 'another.db') });
});
