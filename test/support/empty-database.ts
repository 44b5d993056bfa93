// A database file without rows: a new one has the sample rows.

import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { afterAll } from 'vitest';
import { changes, loaded } from '../storage/storage-conformance.js';
import { openTemporaryFolder } from './temporary-folder.js';

/** Makes it once for a test file. Resolves with a function that copies it to a path. */
export function emptyDatabase(): (path: string) => Promise<void> {
  const empty = openTemporaryFolder();
  const emptyPath = empty.then(async (folder) => {
    const path = join(folder.path, 'service.db');
    const storage = await openLibsqlStorage({ path });
    const samples = await loaded(storage);
    await storage.commit(changes({ removals: samples.map(({ position }) => position) }));
    await storage.close();
    return path;
  });
  afterAll(async () => {
    await emptyPath;
    await (await empty).remove();
  });
  return async (path) => copyFile(await emptyPath, path);
}
