// Judges the database file as a start would, without starting. It writes nothing that a
// start would not undo at its end.

import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Connection } from './connection.js';
import { messageOf } from './connection-errors.js';
import type { Locking } from './connection-settings.js';
import { expectFirstStart } from './earlier-database.js';
import { placeOf, refusalOf } from './file-place.js';
import { libsql } from './library.js';
import { expectOurs, expectWhole } from './own-database.js';
import { logBytesOf, markClosed, missingLog } from './state-mark.js';

/**
 * - `usable`: whole, of this program, and free.
 * - `absent`: missing or empty; a start makes it.
 * - `held`: another process has it, most likely the service itself, so it was not read.
 */
export type FileState = 'usable' | 'absent' | 'held';

/** As a start is told: see `LibsqlStorageOptions`. */
export interface InspectOptions {
  readonly backupFolder?: string | undefined;
  readonly isReplicated?: boolean;
  readonly createAnyway?: boolean;
}

/** Rejects with one sentence if a start would refuse the file or its folder. */
export async function inspectDatabase(
  path: string,
  { backupFolder, isReplicated = false, createAnyway = false }: InspectOptions = {},
): Promise<FileState> {
  try {
    libsql();
    const place = await placeOf(path);
    if (!createAnyway) await expectFirstStart({ ...place, backupFolder, isReplicated });
    const found = await stat(place.path).catch(() => undefined);
    const written = found ? place.path : await nearestFolder(dirname(place.path));
    await access(written, constants.R_OK | constants.W_OK);
    if (found === undefined || found.size === 0) return 'absent';
    return looked(place.path, isReplicated ? 'shared' : 'alone');
  } catch (error) {
    throw refusalOf(resolve(path), error);
  }
}

function looked(file: string, holding: Locking): FileState {
  const logBytes = logBytesOf(file);
  const connection = new Connection(file);
  let isClaimed = false;
  try {
    connection.value('pragma locking_mode = exclusive');
    // The first read takes the lock.
    connection.value('select count(*) from sqlite_master');
    const missing = missingLog(file, logBytes, holding);
    if (missing !== undefined) throw new Error(missing);
    isClaimed = true;
    expectOurs(connection);
    expectWhole(connection);
    return 'usable';
  } catch (error) {
    if (/SQLITE_BUSY|database is locked/i.test(messageOf(error))) return 'held';
    throw error;
  } finally {
    // SQLite writes the log of a crash back when its last connection closes.
    if (isClaimed) markClosed(file);
    connection.close();
  }
}

async function nearestFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined && dirname(folder) !== folder) return nearestFolder(dirname(folder));
  if (found?.isDirectory()) return folder;
  throw new Error(`its folder cannot be made: ${folder} is a file; name another path`);
}
