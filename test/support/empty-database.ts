// A database file without rows: a new one has the sample rows.

import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLibsqlJournal } from 'service-management-api/libsql';
import { afterAll } from 'vitest';
import { changes, loaded } from '../storage/journal-conformance.js';
import { openTemporaryFolder } from './temporary-folder.js';

/** Makes it once for a test file. Resolves with a function that copies it to a path. */
export function emptyDatabase(): (path: string) => Promise<void> {
  const empty = openTemporaryFolder();
  const emptyPath = empty.then(async (folder) => {
    const path = join(folder.path, 'service.db');
    const journal = await openLibsqlJournal({ path });
    const samples = await loaded(journal);
    await journal.commit(changes({ removals: samples.map(({ position }) => position) }));
    await journal.close();
    return path;
  });
  afterAll(async () => {
    await emptyPath;
    await (await empty).remove();
  });
  return async (path) => copyFile(await emptyPath, path);
}
