// Puts a backup in the place of the database file. The old one or the new one is
// in place at every moment, and the old one is kept under another name.

import {
  access,
  chown,
  constants,
  mkdir,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';
import { messageOf } from '../file/client-errors.js';
import { checkDatabase, type DatabaseContents } from './database-check.js';
import {
  codeOf,
  copySynced,
  fileErrorText,
  isThere,
  nameAgain,
  removeDatabase,
  SIDE_FILES,
  syncFile,
  syncFolder,
} from './file-copy.js';

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
 * Rejects with one sentence, and leaves the database as it is, if a process holds
 * the file, if the backup is damaged or of another program, or if the disk has no
 * room. If it is killed, the old or the new database is in place.
 */
export async function restoreDatabase({ backup, path, now }: RestoreOptions): Promise<Restored> {
  const place = await placeOf(path);
  // Two restores at once must not work on one file.
  const unfinished = `${place}${UNFINISHED}${process.pid}-${now}`;
  try {
    await expectBackup(backup, place);
    await copyWithLog(backup, unfinished);
    // The copy is checked, not the backup, because the copy is what comes into place.
    const contents = await checkDatabase(unfinished).catch((error: unknown) => {
      throw refusal(backup, `${messageOf(error)}; choose another one`, error);
    });
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
}

/** Removes what killed restores left. A restore that is under way fails by this, before it replaced the file. */
async function removeUnfinished(place: string): Promise<void> {
  const folder = dirname(place);
  const names = (await readdir(folder)).filter((name) =>
    name.startsWith(basename(place) + UNFINISHED),
  );
  for (const name of names) await rm(join(folder, name), { force: true });
}

/** The target if the path is a link. Makes a missing folder, as a start does. */
async function placeOf(path: string): Promise<string> {
  if (await isThere(path)) return realpath(path);
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
  return path;
}

/**
 * Locks the file for this process alone, and writes the log beside it into it.
 * Resolves with the function that releases it. A file that is not a database
 * needs no lock, because no service starts on it.
 */
async function hold(path: string): Promise<() => void> {
  if (!(await isThere(path))) return () => {};
  const { ino } = await stat(path);
  const client = createClient({ url: pathToFileURL(path).href, concurrency: 1 });
  try {
    await client.execute('pragma journal_mode = delete');
    // In exclusive mode the lock stays after the transaction. The transaction writes nothing, so it leaves no journal.
    await client.execute('pragma locking_mode = exclusive');
    await client.executeMultiple('begin exclusive; commit');
    if ((await stat(path)).ino !== ino)
      throw new Error('it was just replaced; look, then try again');
  } catch (error) {
    const message = messageOf(error);
    if (!/SQLITE_NOTADB|SQLITE_CORRUPT|not a database|malformed/i.test(message)) {
      client.close();
      const isHeld = /SQLITE_BUSY|database is locked/i.test(message);
      const reason = isHeld ? 'a running service holds it; stop it first' : message;
      throw new Error(`the database file ${path} cannot be replaced: ${reason}`, { cause: error });
    }
  }
  return () => client.close();
}

async function expectBackup(backup: string, place: string): Promise<void> {
  try {
    await access(backup, constants.R_OK);
    const found = await stat(backup);
    if (!found.isFile()) throw new Error('it is not a file; name the backup itself');
    const there = await stat(place).catch(() => undefined);
    if (found.ino === there?.ino && found.dev === there.dev) {
      throw new Error('it is the database file itself; name a backup');
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw refusal(backup, messageOf(error), error);
    const isMissing = codeOf(error) === 'ENOENT';
    const hint = isMissing ? 'there is no such file; check the path' : 'it cannot be read';
    throw refusal(backup, `${hint} (${codeOf(error)})`, error);
  }
}

/** After a crash the newest commits are in the log beside the file. */
async function copyWithLog(backup: string, target: string): Promise<void> {
  try {
    for (const suffix of ['-journal', '-wal', '']) {
      if (await isThere(backup + suffix)) await copySynced(backup + suffix, target + suffix);
    }
  } catch (error) {
    throw refusal(backup, `the copy ${target} cannot be made: ${fileErrorText(error)}`, error);
  }
}

/** Each step is on disk before the next begins. */
async function replace(path: string, unfinished: string, now: number): Promise<string | undefined> {
  const folder = dirname(path);
  const kept = keptName(path, now);
  const wasThere = await isThere(path);
  await giveToOwnerOf(wasThere ? path : folder, unfinished);
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
  return wasThere ? kept : undefined;
}

function keptName(path: string, now: number): string {
  const { dir, name, ext } = parse(path);
  const time = new Date(now).toISOString().replaceAll(':', '-');
  return join(dir, `${name}-before-restore-${time}${ext}`);
}

/** If root restores, the new file gets the owner of the old one, so that the service can open it. */
async function giveToOwnerOf(model: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(model);
  await chown(path, uid, gid);
}

function refusal(backup: string, reason: string, cause: unknown): Error {
  return new Error(`the backup ${backup} cannot be restored: ${reason}`, { cause });
}
