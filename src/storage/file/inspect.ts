// Judges the database file as a start would, without starting. It writes nothing that a start would
// not undo at its end.

import { existsSync, statSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isBusy, messageOf } from './connection-errors.js';
import { expectFirstStart } from './earlier-database.js';
import { placeOf, refusalOf } from './file-place.js';
import { libsql } from './library.js';
import { expectWhole, openOurs } from './own-database.js';
import { markClosed } from './state-mark.js';

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
    const isThere = existsSync(place.path);
    const written = isThere ? place.path : nearestFolder(place.path);
    await access(written, constants.R_OK | constants.W_OK);
    if (!isThere || statSync(place.path).size === 0) return 'absent';
    return looked(place.path, isReplicated);
  } catch (error) {
    throw refusalOf(resolve(path), error);
  }
}

function looked(path: string, isReplicated: boolean): FileState {
  try {
    const locked = { locking: 'alone', busyTimeoutMs: 0 } as const;
    const { connection } = openOurs(path, isReplicated ? 'shared' : 'alone', locked);
    try {
      expectWhole(connection);
      return 'usable';
    } finally {
      // SQLite writes the log of a crash back when its last connection closes.
      markClosed(path);
      connection.close();
    }
  } catch (error) {
    if (isBusy(messageOf(error))) return 'held';
    throw error;
  }
}

function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  if (statSync(folder).isDirectory()) return folder;
  throw new Error(`its folder cannot be made: ${folder} is a file; name another path`);
}
