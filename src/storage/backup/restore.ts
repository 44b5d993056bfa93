// Replaces the database file with a backup: lock, check, copy, rename. The old file or the new
// one is in place at every moment, and the old one is kept under another name.

import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { restoreEvent } from '../../core/domain/audit-event.js';
import { Connection } from '../file/connection.js';
import { explained, isBusy, messageOf } from '../file/connection-errors.js';
import { resolveDatabasePath } from '../file/database-path.js';
import * as durable from '../file/durable-files.js';
import { APPEND_EVENTS } from '../file/file-schema.js';
import { checkDatabase, markClosed } from '../file/open-database.js';
import { assertSafePath } from './superuser.js';

/**
 * `path`: of the database file, or of a link to it; `now`: milliseconds since 1970, UTC, for the old
 * file's new name. Resolves with the backup's row counts, its accounts, and the old file's new path, if
 * there was one. Rejects with one sentence, and changes nothing, if a process holds the file, the backup
 * is damaged or another program's, the disk is full, or the superuser runs it and another user can write
 * to the folder.
 */
export async function restoreDatabase(backup: string, path: string, now: number) {
  assertSafePath(path);
  // Links are resolved, because the log and the marker are next to the file itself.
  const target = await resolveDatabasePath(path);
  const folder = `${target}.restoring`;
  try {
    if (existsSync(folder))
      throw new Error(
        `${folder} exists; wait for the other restore, or remove the folder if that was killed`,
      );
    durable.makeFolder(folder);
    try {
      const copy = join(folder, basename(target));
      const checked = copyChecked(backup, copy, now);
      const lock = lockDatabase(target);
      const oldFile = replace(target, copy, now);
      lock?.close();
      return { ...checked, oldFile };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } catch (error) {
    throw new Error(`the backup ${backup} cannot be restored: ${explained(error)}`);
  }
}

const OWNERS = `
  select owner as subject, min(created_at) as oldest from records where owner is not null group by owner`;

/**
 * Checks the copy, not the backup itself, so that the checked file is the one that is put in place.
 * `oldest`: when the account's oldest record was created, in milliseconds since 1970, UTC.
 */
function copyChecked(backup: string, copy: string, now: number) {
  // Includes SQLite's other files, which a killed service leaves.
  for (const suffix of ['', '-journal', '-wal']) {
    if (suffix === '' || existsSync(backup + suffix))
      durable.copyDurably(backup + suffix, copy + suffix);
  }
  let owners: { readonly subject: string; readonly oldest: number }[] = [];
  const contents = checkDatabase(copy, 'integrity_check', (connection) => {
    owners = connection.rows(OWNERS) as unknown as typeof owners;
    const event = restoreEvent(basename(backup), now);
    connection.batch([[APPEND_EVENTS, JSON.stringify([event])]]);
  });
  durable.syncFile(copy);
  return { contents, owners };
}

/**
 * Writes the log back, and locks the file until the connection closes. A file that isn't a database needs
 * no lock, because no service starts on it.
 */
function lockDatabase(path: string): Connection | undefined {
  if (!existsSync(path)) return undefined;
  const connection = new Connection(path);
  try {
    connection.value('pragma journal_mode = delete');
    connection.lock();
  } catch (error) {
    if (isBusy(messageOf(error))) throw new Error(`a running service holds ${path}; stop it first`);
  }
  return connection;
}

/** Each step is on disk before the next one starts. */
function replace(path: string, copy: string, now: number): string | undefined {
  // The old file's log was written back, and the new file has none.
  markClosed(path);
  const { dir, name, ext } = parse(path);
  const time = new Date(now).toISOString().replaceAll(':', '-');
  const oldFile = join(dir, `${name}-before-restore-${time}${ext}`);
  const existed = existsSync(path);
  if (existed) durable.linkOrCopy(path, oldFile);
  // Left only by a file that isn't a database, or is missing. The new database must not get them.
  for (const suffix of durable.SIDE_FILES) {
    if (existsSync(path + suffix)) renameSync(path + suffix, oldFile + suffix);
  }
  durable.syncFolder(dir);
  renameSync(copy, path);
  durable.syncFolder(dir);
  return existed ? oldFile : undefined;
}
