// A copy of the open database, made by its own connection: the last resort where the file
// is no longer in its place, and a backup by another process would find nothing there.

import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseContents } from '../backup/backups.js';
import { checkDatabase } from '../backup/database-check.js';
import { syncFileNow, syncFolderNow } from '../disk-sync.js';
import type { Connection } from './connection.js';

const OWNER_ONLY_FILE = 0o600;
/** Until the copy is checked and on disk. */
const UNFINISHED = '.part';

/** Throws where the copy cannot be made; nothing is left then. */
export function saveCopy(connection: Connection, path: string): DatabaseContents {
  const unfinished = path + UNFINISHED;
  try {
    // SQLite fills an empty file and keeps its permissions.
    closeSync(openSync(unfinished, 'wx', OWNER_ONLY_FILE));
    connection.value('vacuum into ?', [unfinished]);
    const contents = checkDatabase(unfinished);
    syncFileNow(unfinished);
    renameSync(unfinished, path);
    syncFolderNow(dirname(path));
    return contents;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
