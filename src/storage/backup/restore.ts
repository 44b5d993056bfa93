// Puts a backup in the place of the database file. The old one or the new one is
// in place at every moment, and the old one is kept under another name.

import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFile, syncFolder } from '../disk-sync.js';
import { Connection } from '../file/connection.js';
import { messageOf } from '../file/connection-errors.js';
import { keptPath } from '../file/names-beside.js';
import { markClosed } from '../file/state-mark.js';
import { BackupSource, refusal } from './backup-source.js';
import { checkDatabase } from './database-check.js';
import type { DatabaseContents } from './database-contents.js';
import { codeOf, isThere, nameAgain, removeDatabase, SIDE_FILES } from './file-copy.js';
import { addRestoreEvent } from './restore-event.js';
import { placeOf } from './superusers-place.js';

const OWNER_ONLY_FOLDER = 0o700;
/** Part of the new file's name until it is in place. */
const UNFINISHED = '.restoring-';

export interface RestoreOptions {
  /** Path of the backup. The file is only read. */
  readonly backup: string;
  /** Path of the database file. */
  readonly path: string;
  /** Milliseconds since 1970, UTC: part of the old file's new name. */
  readonly now: number;
}

export interface Restored {
  readonly contents: DatabaseContents;
  /** Path of the old file now; undefined if there was none. */
  readonly kept: string | undefined;
}

/**
 * Rejects with one sentence, and leaves the database as it is, where a process
 * holds the file, the backup is not whole or not of this program, or there is
 * no room. Killed at any moment, it leaves the old or the new database in place.
 * So it does where the superuser runs it and another user can change the database's place.
 */
export async function restoreDatabase(options: RestoreOptions): Promise<Restored> {
  const { backup, path, now } = options;
  const place = placeOf(path);
  const source = await BackupSource.open(backup);
  try {
    // A missing folder is made, as by a start.
    await mkdir(dirname(place), { recursive: true, mode: OWNER_ONLY_FOLDER });
    await source.expectOther(place);
    // Two restores at once must not work on one file.
    const unfinished = `${place}${UNFINISHED}${process.pid}-${now}`;
    try {
      await source.copyTo(unfinished);
      // The copy and not the backup itself, so that the checked file is the one that is put in
      // place.
      const contents = checkedCopy(unfinished, backup, now);
      await syncFile(unfinished);
      const release = await hold(place);
      try {
        const kept = await replace(place, unfinished, now);
        await removeUnfinished(place).catch(() => {});
        return { contents, kept };
      } finally {
        release();
      }
    } finally {
      await removeDatabase(unfinished).catch(() => {});
    }
  } finally {
    await source.close();
  }
}

/** The copy's contents; the trace of the restore is in it afterwards. */
function checkedCopy(copy: string, backup: string, now: number): DatabaseContents {
  try {
    return checkDatabase(copy, (connection) => addRestoreEvent(connection, basename(backup), now));
  } catch (error) {
    throw refusal(backup, `${messageOf(error)}; choose another one`, error);
  }
}

/** What restores that were killed have left; one that is under way fails, and has not replaced anything. */
async function removeUnfinished(place: string): Promise<void> {
  const folder = dirname(place);
  const names = (await readdir(folder)).filter((name) =>
    name.startsWith(basename(place) + UNFINISHED),
  );
  for (const name of names) await rm(join(folder, name), { force: true });
}

/**
 * Locks the file for this process alone, and writes the log beside it into it.
 * Resolves with the function that releases it. A file that is not a database
 * needs no lock, because no service starts on it.
 */
async function hold(path: string): Promise<() => void> {
  if (!(await isThere(path))) return () => {};
  const { ino } = await stat(path);
  const connection = new Connection(path);
  try {
    connection.value('pragma journal_mode = delete');
    // In exclusive mode the lock stays after the transaction. The transaction writes nothing, so it leaves no journal.
    connection.value('pragma locking_mode = exclusive');
    connection.script('begin exclusive; commit');
    if ((await stat(path)).ino !== ino)
      throw new Error('it was just replaced; look, then try again');
    // The log is written back.
    markClosed(path);
  } catch (error) {
    const message = messageOf(error);
    if (!/SQLITE_NOTADB|SQLITE_CORRUPT|not a database|malformed/i.test(message)) {
      connection.close();
      const isHeld = /SQLITE_BUSY|database is locked/i.test(message);
      const reason = isHeld ? 'a running service holds it; stop it first' : message;
      throw new Error(`the database file ${path} cannot be replaced: ${reason}`, { cause: error });
    }
  }
  return () => connection.close();
}

/** Each step is on disk before the next one begins. */
async function replace(path: string, unfinished: string, now: number): Promise<string | undefined> {
  const folder = dirname(path);
  const kept = keptPath(path, 'before-restore', now);
  const wasThere = await isThere(path);
  if (wasThere) await nameAgain(path, kept);
  // These files exist only if the old file is no database or is missing. They must not stay beside the new one.
  for (const suffix of SIDE_FILES) {
    if (await isThere(path + suffix)) await rename(path + suffix, kept + suffix);
  }
  await syncFolder(folder);
  if (wasThere) await rename(unfinished, path);
  else
    await nameAgain(unfinished, path).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
      const reason = 'a service has just made it; stop it, then try again';
      throw new Error(`the database file ${path} cannot be replaced: ${reason}`, { cause: error });
    });
  await syncFolder(folder);
  // The new file is whole without a log.
  markClosed(path);
  return wasThere ? kept : undefined;
}
