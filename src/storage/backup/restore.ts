// Puts a backup in the place of the database file. The old one or the new one is
// in place at every moment, and the old one is kept under another name.

import { constants, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CHANGED_NAME_MAX_CHARACTERS, type RestoreEvent } from '../../core/domain/audit-event.js';
import { syncFile, syncFolder } from '../disk-sync.js';
import { Connection } from '../file/connection.js';
import { messageOf } from '../file/connection-errors.js';
import { APPEND_EVENTS } from '../file/file-schema.js';
import { keptPath } from '../file/names-beside.js';
import { markClosed } from '../file/state-mark.js';
import { checkDatabase } from './database-check.js';
import type { DatabaseContents } from './database-contents.js';
import {
  codeOf,
  copySynced,
  fileErrorText,
  isThere,
  nameAgain,
  removeDatabase,
  SIDE_FILES,
} from './file-copy.js';
import { placeOf } from './superusers-place.js';

const OWNER_ONLY_FOLDER = 0o700;
/** Part of the new file's name until it is in place. */
const UNFINISHED = '.restoring-';
/** The files that a killed service leaves beside its database; the database itself is copied last. */
const PARTS = ['-journal', '-wal', ''] as const;
/** A pipe in the place of a file must not keep the restore waiting. */
const READ_AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK;

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
 * Rejects with one sentence, and leaves the database as it is, if a process holds the file, the
 * backup is not whole or not of this program, there is no room, or the superuser runs it and
 * another user can change the database's place. Killed at any moment, it leaves the old or the new
 * database in place.
 */
export async function restoreDatabase(options: RestoreOptions): Promise<Restored> {
  const { backup, path, now } = options;
  const place = placeOf(path);
  // Two restores at once must not work on one file.
  const unfinished = `${place}${UNFINISHED}${process.pid}-${now}`;
  try {
    const contents = await checkedCopy(backup, place, unfinished, now);
    const release = await hold(place);
    try {
      const kept = await replace(place, unfinished, now);
      // What restores that were killed have left; one that is under way fails, and has not replaced anything.
      const start = basename(place) + UNFINISHED;
      for (const name of await readdir(dirname(place))) {
        if (name.startsWith(start)) await rm(join(dirname(place), name)).catch(() => {});
      }
      return { contents, kept };
    } finally {
      release();
    }
  } finally {
    await removeDatabase(unfinished).catch(() => {});
  }
}

/** Checks the copy and not the backup itself, so that the checked file is the one that is put in place. */
async function checkedCopy(
  backup: string,
  place: string,
  copy: string,
  now: number,
): Promise<DatabaseContents> {
  try {
    for (const part of PARTS) await copyPart(backup, part, place, copy);
    const contents = checkDatabase(copy, (connection) =>
      addRestoreEvent(connection, basename(backup), now),
    );
    await syncFile(copy);
    return contents;
  } catch (error) {
    const reason =
      error instanceof Refusal ? error.message : `${messageOf(error)}; choose another one`;
    throw new Error(`the backup ${backup} cannot be restored: ${reason}`, { cause: error });
  }
}

/** What is wrong with the backup, or with the place of its copy. */
class Refusal extends Error {}

/** Copies the backup or a file of SQLite beside it, which may be missing. */
async function copyPart(backup: string, part: string, place: string, copy: string): Promise<void> {
  const from = await open(backup + part, READ_AT_ONCE).catch((error: unknown) => {
    if (part === '' || codeOf(error) !== 'ENOENT') throw new Refusal(openErrorText(error));
  });
  if (from === undefined) return;
  try {
    const found = await from.stat();
    if (!found.isFile()) throw new Refusal('it is not a file; name the backup itself');
    const there = await stat(place).catch(() => undefined);
    if (part === '' && found.ino === there?.ino && found.dev === there.dev) {
      throw new Refusal('it is the database file itself; name a backup');
    }
    // A missing folder is made, as by a start.
    await mkdir(dirname(place), { recursive: true, mode: OWNER_ONLY_FOLDER });
    await copySynced(from, copy + part).catch((error: unknown) => {
      throw new Refusal(`the copy ${copy} cannot be made: ${fileErrorText(error)}`);
    });
  } finally {
    await from.close();
  }
}

function openErrorText(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return messageOf(error);
  if (code === 'ENOENT') return 'there is no such file; check the path (ENOENT)';
  const user = process.getuid?.();
  const reader = user === undefined ? '' : ` by the user ${user}, who runs this`;
  return `it cannot be read${reader} (${code})`;
}

/** The trace that a restore leaves: an event in the audit log of the database that it puts in place. */
function addRestoreEvent(connection: Connection, backup: string, now: number): void {
  const event: RestoreEvent = {
    actor: 'restore',
    action: 'restore',
    resource: 'database',
    record_id: backup.slice(0, CHANGED_NAME_MAX_CHARACTERS),
    owner_sub: '',
    timestamp: new Date(now).toISOString(),
    changed: [],
  };
  connection.batch([{ sql: APPEND_EVENTS, args: [JSON.stringify([event])] }]);
  // The next read lets go of the lock; it would be kept until the statements are collected.
  connection.value('pragma locking_mode = normal');
  connection.value('select count(*) from audit_events');
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
      throw notReplaced(path, isHeld ? 'a running service holds it; stop it first' : message);
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
      throw notReplaced(path, 'a service has just made it; stop it, then try again');
    });
  await syncFolder(folder);
  // The new file is whole without a log.
  markClosed(path);
  return wasThere ? kept : undefined;
}

function notReplaced(path: string, reason: string): Error {
  return new Error(`the database file ${path} cannot be replaced: ${reason}`);
}
