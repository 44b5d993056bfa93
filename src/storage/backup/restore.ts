// Puts a backup in the place of the database file: the old one or the new one
// is there at every moment, and the old one keeps a name.

import { lchown, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';
import { messageOf } from '../file/client-errors.js';
import { BackupSource, refusal } from './backup-source.js';
import { checkDatabase, type DatabaseContents } from './database-check.js';
import {
  codeOf,
  isThere,
  nameAgain,
  removeDatabase,
  SIDE_FILES,
  syncFile,
  syncFolder,
} from './file-copy.js';
import { goOnAs, isSuperuser, ownerOnTheWay } from './owner-rights.js';
import { addRestoreEvent } from './restore-event.js';

const OWNER_ONLY_FOLDER = 0o700;
/** Part of the new file's name until it is in place. */
const UNFINISHED = '.restoring-';

export interface RestoreOptions {
  /** Path of the backup, which is only read. */
  readonly backup: string;
  /** Path of the database file. */
  readonly path: string;
  /** Milliseconds since 1970, UTC: part of the name that the old file is kept under. */
  readonly now: number;
}

export interface Restored {
  readonly contents: DatabaseContents;
  /** Where the old file is now; undefined where there was none. */
  readonly kept: string | undefined;
}

/**
 * Rejects with one sentence, and leaves the database as it is, where a process
 * holds the file, the backup is not whole or not of this program, or there is
 * no room. Killed at any moment, it leaves the old or the new database in place.
 * Run by the superuser for a folder of another user, it goes on as that user
 * before it touches the folder, and stays that user: for a program of its own.
 */
export async function restoreDatabase({ backup, path, now }: RestoreOptions): Promise<Restored> {
  const source = await openWithRights(backup, path);
  try {
    const place = await placeOf(path);
    await source.expectOther(place);
    // Two restores at once must not work on one file.
    const unfinished = `${place}${UNFINISHED}${process.pid}-${now}`;
    try {
      await source.copyTo(unfinished);
      // Not the backup itself: what was checked is what will be in place.
      const contents = await checkDatabase(unfinished, (client) =>
        addRestoreEvent(client, basename(backup), now),
      ).catch((error: unknown) => {
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
  } finally {
    await source.close();
  }
}

/**
 * Opens the backup and takes the rights that the work in the database's folder
 * needs. The superuser opens the backup only where nobody else decides which
 * file that is; else whoever does could have any file copied.
 */
async function openWithRights(backup: string, path: string): Promise<BackupSource> {
  const owner = isSuperuser() ? await ownerOnTheWay(path) : undefined;
  if (owner === undefined) return BackupSource.open(backup);
  const isOpenToOthers = await ownerOnTheWay(backup).then(
    (other) => other !== undefined,
    () => true,
  );
  const source = isOpenToOthers ? undefined : await BackupSource.open(backup);
  goOnAs(owner);
  return source ?? BackupSource.open(backup);
}

/** What restores that were killed have left; one that is under way fails, and has not replaced anything. */
async function removeUnfinished(place: string): Promise<void> {
  const folder = dirname(place);
  const names = (await readdir(folder)).filter((name) =>
    name.startsWith(basename(place) + UNFINISHED),
  );
  for (const name of names) await rm(join(folder, name), { force: true });
}

/** The file itself where the path is a link; a missing folder is made, as at a start. */
async function placeOf(path: string): Promise<string> {
  if (await isThere(path)) return realpath(path);
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
  return path;
}

/**
 * Takes the file for this process alone, with everything that lies in the log
 * beside it brought into it. Resolves with how to let go of it. A file that is
 * no database needs no lock: no service starts on it.
 */
async function hold(path: string): Promise<() => void> {
  if (!(await isThere(path))) return () => {};
  const { ino } = await stat(path);
  const client = createClient({ url: pathToFileURL(path).href, concurrency: 1 });
  try {
    await client.execute('pragma journal_mode = delete');
    // In this mode the lock outlives its transaction; one that writes nothing leaves no journal.
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

/** Each step is on disk before the next one begins. */
async function replace(path: string, unfinished: string, now: number): Promise<string | undefined> {
  const folder = dirname(path);
  const kept = keptName(path, now);
  const wasThere = await isThere(path);
  await giveToOwnerOf(wasThere ? path : folder, unfinished);
  if (wasThere) await nameAgain(path, kept);
  // Only beside a file that is no database, or none: they must not be taken for the new one's.
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

/** The superuser may restore for the service's own user, who must be able to open the file. */
async function giveToOwnerOf(model: string, path: string): Promise<void> {
  if (!isSuperuser()) return;
  const { uid, gid } = await stat(model);
  // Only in a folder that nobody else can change; and a link is never followed.
  await lchown(path, uid, gid);
}
