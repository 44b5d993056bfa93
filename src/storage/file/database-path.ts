// Resolves the path of the database file, and detects that it is missing. If its disk is not mounted, a
// start looks like the first one, and clients, backups and the replica would get an empty database.

import { existsSync, statSync } from 'node:fs';
import { access, constants, readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { libsql } from './connection.js';
import { explained, isBusy, messageOf } from './connection-errors.js';
import type { LibsqlStorageOptions } from './file-storage.js';
import { assertIntegrity, markerPath, openDatabase } from './open-database.js';

/** How a backup's file name ends: the time in UTC, after the database's name. */
export const BACKUP_NAME_END = /^-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db$/;

/** Absolute path of the file itself, which may not exist yet. SQLite's log and the other files are next to it. */
export async function resolveDatabasePath(name: string): Promise<string> {
  const given = resolve(name);
  return realpath(given).catch(async () => {
    const target = await readlink(given).catch(() => given);
    return resolve(dirname(given), target);
  });
}

/**
 * Like `resolveDatabasePath`, but rejects with one sentence if the file is missing or empty although there
 * was a database before, which a new one would replace.
 */
export async function pathToOpen(options: LibsqlStorageOptions): Promise<string> {
  const path = await resolveDatabasePath(options.path);
  const size = sizeOf(path);
  const evidence = size || options.createAnyway ? undefined : await evidenceOfOld(path, options);
  if (evidence === undefined) return path;
  throw new Error(
    `it is ${size === 0 ? 'empty' : 'missing'}, and ${evidence}; restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one`,
  );
}

async function evidenceOfOld(path: string, options: LibsqlStorageOptions) {
  const { backupFolder = '', replication } = options;
  const [link, { name }] = [resolve(options.path), parse(path)];
  const backup = (await readdir(backupFolder).catch(() => [])).find(
    (file) => file.startsWith(name) && BACKUP_NAME_END.test(file.slice(name.length)),
  );
  const shown =
    (link !== path && sizeOf(path) === undefined && link) ||
    (existsSync(markerPath(path)) && markerPath(path)) ||
    (backup && join(backupFolder, backup));
  if (shown) return `${shown} shows that there was one`;
  return replication && 'the replica may hold one';
}

/** Undefined if the file doesn't exist. */
function sizeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : undefined;
}

/** `absent`: missing or empty. `held`: not read, because another process, most likely the service, has it open. */
export type FileState = 'usable' | 'absent' | 'held';

/** Checks the file as a start would. Rejects with one sentence if a start would refuse the file or its folder. */
export async function inspectDatabase(options: LibsqlStorageOptions): Promise<FileState> {
  try {
    libsql();
    const path = await pathToOpen(options);
    let existing = path;
    while (!existsSync(existing)) existing = dirname(existing);
    // With `/.` the system refuses a path that isn't a folder.
    await access(existing === path ? path : `${existing}/.`, constants.R_OK | constants.W_OK);
    if (existing !== path || sizeOf(path) === 0) return 'absent';
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
