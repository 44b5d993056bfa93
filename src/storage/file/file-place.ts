// Resolves the path of the database file, and whether there was one before. A folder
// whose disk is not mounted looks like that of a first start; clients, the rotation of the backups and the
// replica would take an empty database in it for the real one.

import { existsSync, statSync } from 'node:fs';
import { access, constants, readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { libsql } from './connection.js';
import { explained, isBusy, messageOf } from './connection-errors.js';
import type { LibsqlStorageOptions } from './file-storage.js';
import { assertIntegrity, markerOf, openDatabase } from './own-database.js';

const A_BACKUP = /^-\d{4}-\d\d-\d\dT.*\.db$/;

/**
 * Absolute path of the file itself, which may not exist yet: SQLite puts its log next to it, and the
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
 * Like `placeOf`, but rejects with one sentence if the file is missing or empty and there was a database
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
  const [link, { name }] = [resolve(options.path), parse(path)];
  const backup = (await readdir(backupFolder).catch(() => [])).find(
    (one) => one.startsWith(name) && A_BACKUP.test(one.slice(name.length)),
  );
  const shown =
    (link !== path && sizeOf(path) === undefined && link) ||
    (existsSync(markerOf(path)) && markerOf(path)) ||
    (backup && join(backupFolder, backup));
  if (shown) return `${shown} shows that one was there`;
  return replication && 'the replica may hold one';
}

/** Undefined if the file doesn't exist. */
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
