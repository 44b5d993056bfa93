// Puts a backup in the place of the database file. The old one or the new one is
// in place at every moment, and the old one is kept under another name.

import { access, constants, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { restoreEvent } from '../../core/domain/audit-event.js';
import { syncFile, syncFolder } from '../disk-sync.js';
import { Connection } from '../file/connection.js';
import { messageOf } from '../file/connection-errors.js';
import { makeFolder, placeOf } from '../file/file-place.js';
import { APPEND_EVENTS, COLUMNS_VERSION } from '../file/file-schema.js';
import { keptPath, markClosed } from '../file/state-mark.js';
import type { DatabaseContents } from './backups.js';
import { checkDatabase } from './database-check.js';
import {
  codeOf,
  copySynced,
  fileErrorText,
  isThere,
  nameAgain,
  removeDatabase,
  SIDE_FILES,
} from './file-copy.js';
import { expectSafePath } from './superuser.js';

export interface Restored {
  readonly contents: DatabaseContents;
  /** Whose records the backup holds; `oldest`: when the first one was made, milliseconds since 1970, UTC. */
  readonly owners: readonly { readonly subject: string; readonly oldest: number }[];
  /** Path of the old file now; undefined if there was none. */
  readonly kept: string | undefined;
}

/**
 * `backup` is only read; `path`: of the database file, or of a link to it; `now`: milliseconds since
 * 1970, UTC, for the old file's new name.
 * Rejects with one sentence, and leaves the database as it is, if a process holds the file, the
 * backup is not whole or not of this program, there is no room, or the superuser runs it and
 * another user can change the database's place. Killed at any moment, it leaves the old or the new
 * database in place.
 */
export async function restoreDatabase(
  backup: string,
  path: string,
  now: number,
): Promise<Restored> {
  expectSafePath(path);
  // The file itself: its log and its marks are beside it.
  const place = await placeOf(path);
  const unfinishedStart = `${basename(place)}.restoring-`;
  // Two restores at once must not work on one file.
  const unfinished = join(dirname(place), `${unfinishedStart}${process.pid}-${now}`);
  try {
    await copyBackup(backup, place, unfinished);
    const checked = await check(backup, unfinished, now);
    const release = await hold(place);
    try {
      const kept = await replace(place, unfinished, now);
      // What killed restores left; one that is under way fails, and has not replaced anything.
      for (const name of await readdir(dirname(place))) {
        if (name.startsWith(unfinishedStart)) await rm(join(dirname(place), name));
      }
      return { ...checked, kept };
    } finally {
      release();
    }
  } finally {
    await removeDatabase(unfinished).catch(() => {});
  }
}

/** With the files of SQLite that a killed service left beside it. */
async function copyBackup(backup: string, place: string, copy: string): Promise<void> {
  await access(backup, constants.R_OK).catch((error: unknown) => {
    const isMissing = codeOf(error) === 'ENOENT';
    const reason = isMissing ? 'no such file' : `user ${process.getuid?.()} cannot read it`;
    throw notRestored(backup, `${reason}; check the path (${codeOf(error)})`, error);
  });
  const found = await stat(backup);
  // A pipe would keep the restore waiting.
  if (!found.isFile()) throw notRestored(backup, 'it is not a file; name the backup itself');
  const old = await stat(place).catch(() => undefined);
  if (found.ino === old?.ino && found.dev === old.dev) {
    throw notRestored(backup, 'it is the database file itself; name a backup');
  }
  try {
    await makeFolder(dirname(place));
    for (const part of ['-journal', '-wal', '']) {
      if (await isThere(backup + part)) await copySynced(backup + part, copy + part);
    }
  } catch (error) {
    throw notRestored(backup, `the copy ${copy} cannot be made: ${fileErrorText(error)}`, error);
  }
}

/** A backup of an earlier release has no column for the owner. */
const OWNERS = (version: number) => `
  select ${version < COLUMNS_VERSION ? "body ->> '$.owner_sub'" : 'owner'} as subject, min(created_at) as oldest
    from records group by subject having typeof(subject) = 'text'`;

/** Checks the copy and not the backup itself, so that the checked file is the one that is put in place. */
async function check(backup: string, copy: string, now: number) {
  try {
    let owners: Restored['owners'] = [];
    const contents = checkDatabase(copy, (connection) => {
      const rows = connection.rows(OWNERS(Number(connection.value('pragma user_version'))));
      owners = rows.map((row) => ({ subject: `${row['subject']}`, oldest: Number(row['oldest']) }));
      const event = restoreEvent(basename(backup), '', now);
      connection.batch([{ sql: APPEND_EVENTS, args: [JSON.stringify([event])] }]);
      // The next read lets go of the lock; it would be kept until the statements are collected.
      connection.value('pragma locking_mode = normal');
      connection.value('select count(*) from audit_events');
    });
    await syncFile(copy);
    return { contents, owners };
  } catch (error) {
    throw notRestored(backup, `${messageOf(error)}; choose another one`, error);
  }
}

/**
 * Writes the log beside the file into it, and locks it for this process. Resolves with the function
 * that releases it. A file that is not a database needs no lock, because no service starts on it.
 */
async function hold(path: string): Promise<() => void> {
  if (!(await isThere(path))) return () => {};
  const connection = new Connection(path);
  try {
    connection.value('pragma journal_mode = delete');
    connection.lock();
    markClosed(path);
  } catch (error) {
    const message = messageOf(error);
    if (!/SQLITE_NOTADB|SQLITE_CORRUPT|not a database|malformed/i.test(message)) {
      connection.close();
      const isHeld = /SQLITE_BUSY|database is locked/i.test(message);
      const reason = isHeld ? 'a running service holds it; stop it first' : message;
      throw new Error(`the database file ${path} cannot be replaced: ${reason}`);
    }
  }
  return () => connection.close();
}

/** Each step is on disk before the next one begins. */
async function replace(path: string, unfinished: string, now: number): Promise<string | undefined> {
  const kept = keptPath(path, 'before-restore', now);
  const wasThere = await isThere(path);
  if (wasThere) await nameAgain(path, kept);
  // These files exist only if the old file isn't a database or is missing. They must not stay next to the new one.
  for (const suffix of SIDE_FILES) {
    if (await isThere(path + suffix)) await rename(path + suffix, kept + suffix);
  }
  await syncFolder(dirname(path));
  await rename(unfinished, path);
  await syncFolder(dirname(path));
  // The new file is whole without a log.
  markClosed(path);
  return wasThere ? kept : undefined;
}

function notRestored(backup: string, reason: string, cause?: unknown): Error {
  return new Error(`the backup ${backup} cannot be restored: ${reason}`, { cause });
}
