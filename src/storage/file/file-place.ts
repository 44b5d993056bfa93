// Where the database file is: the file that its name leads to, its folder, and whether there was one
// before. A folder whose disk is not mounted looks like that of a first start; clients, the rotation of
// the backups and the replica would take an empty database in it for the real one. Folder and file are
// readable only by the service's user, because they hold customers' data.

import { existsSync, statSync } from 'node:fs';
import { access, constants, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { syncFolder } from '../disk-sync.js';
import { libsql } from './connection.js';
import { explained, isBusy, messageOf } from './connection-errors.js';
import { OWNER_ONLY_FILE } from './file-copy.js';
import type { LibsqlStorageOptions } from './file-storage.js';
import { assertIntegrity, markerOf, openDatabase } from './own-database.js';

export const OWNER_ONLY_FOLDER = 0o700;
const A_BACKUP = /^-\d{4}-\d\d-\d\dT.*\.db$/;

/**
 * Absolute path of the file itself, which may not exist yet: SQLite puts its log beside it, and the
 * other files belong there, too.
 */
export async function placeOf(name: string): Promise<string> {
  const given = resolve(name);
  return realpath(given).catch(async () => {
    const target = await readlink(given).catch(() => given);
    return resolve(dirname(given), target);
  });
}

/**
 * As `placeOf`. Rejects with one sentence if the file is missing or empty and there was a database
 * before, which a new one would replace.
 */
export async function placeToOpen(options: LibsqlStorageOptions): Promise<string> {
  const path = await placeOf(options.path);
  const size = sizeOf(path);
  const sign = size || options.createAnyway ? undefined : await signOfAnother(path, options);
  if (sign === undefined) return path;
  throw new Error(
    `it is ${size === 0 ? 'empty' : 'not there'}, and ${sign}; restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one`,
  );
}

async function signOfAnother(path: string, options: LibsqlStorageOptions) {
  const { backupFolder = '', replication } = options;
  const { name } = parse(path);
  const link = resolve(options.path);
  const backups = backupFolder ? await readdir(backupFolder).catch(() => []) : [];
  const backup = backups.find(
    (one) => one.startsWith(name) && A_BACKUP.test(one.slice(name.length)),
  );
  const shown =
    (link !== path && sizeOf(path) === undefined && link) ||
    (existsSync(markerOf(path)) && markerOf(path)) ||
    (backup && join(backupFolder, backup));
  if (shown) return `${shown} shows that one was there`;
  return replication && 'the replica may hold one';
}

/** Undefined if there is no such file. */
function sizeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : undefined;
}

/** `absent`: missing or empty; `held`: by another process, most likely the service, so it was not read. */
export type FileState = 'usable' | 'absent' | 'held';

/** Checks the file as a start would. Rejects with one sentence if a start would refuse the file or its folder. */
export async function inspectDatabase(options: LibsqlStorageOptions): Promise<FileState> {
  try {
    libsql();
    const path = await placeToOpen(options);
    let there = path;
    while (!existsSync(there)) there = dirname(there);
    // The system refuses `/.` after what is not a folder.
    await access(there === path ? path : `${there}/.`, constants.R_OK | constants.W_OK);
    if (there !== path || sizeOf(path) === 0) return 'absent';
    // Litestream may have removed the log.
    const acceptsMissingLog = options.createAnyway === true || options.replication !== undefined;
    const { connection } = openDatabase(path, { acceptsMissingLog });
    assertIntegrity(connection);
    connection.close();
    return 'usable';
  } catch (error) {
    if (isBusy(messageOf(error))) return 'held';
    throw refusalOf(options.path, error);
  }
}

export function refusalOf(name: string, error: unknown): Error {
  return new Error(`the database file ${resolve(name)} cannot be used: ${explained(error)}`, {
    cause: error,
  });
}

export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  // Until the parent folder is synced, a power cut may remove a new folder with everything in it.
  for (let made = folder; first && made.length >= first.length; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
}

/** Creates a missing file, and its folder. To be called before the database is opened: closing the file afterwards would drop the lock. */
export async function makeFile(path: string): Promise<void> {
  await makeFolder(dirname(path));
  if (!existsSync(path)) await (await open(path, 'a', OWNER_ONLY_FILE)).close();
}
