// Where the database file is: the file that its name leads to, its folder, and whether there was one
// before. A folder whose disk is not mounted looks like that of a first start; clients, the rotation of
// the backups and the replica would take an empty database in it for the real one. Folder and file are
// readable only by the service's user, because they hold customers' data.

import {
  access,
  constants,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  stat,
} from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { syncFolder } from '../disk-sync.js';
import { backupsIn } from './backup-names.js';
import { explained } from './connection-errors.js';
import { codeOf, OWNER_ONLY_FILE } from './file-copy.js';
import { isMarkedOpen, markerOf } from './open-marker.js';

const OWNER_ONLY_FOLDER = 0o700;

/** Where to look for signs of an earlier database. */
export interface Surroundings {
  /** Folder of the backups, if there is one. */
  readonly backupFolder?: string | undefined;
  /** There is a replica. Litestream's socket does not tell whether it has a state. */
  readonly isReplicated: boolean;
  /** Create a database even if there was an earlier one, and take one that lacks its log as it is. */
  readonly createAnyway?: boolean | undefined;
}

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
export async function placeToOpen(name: string, surroundings: Surroundings): Promise<string> {
  if (name.includes(':memory:')) {
    throw new Error(
      'it is not a file; tests use openMemoryStorage of service-management-api/memory',
    );
  }
  const path = await placeOf(name);
  const size = await sizeOf(path);
  if (size > 0 || surroundings.createAnyway) return path;
  const isThere = size === 0;
  const link = isThere ? undefined : await readlink(resolve(name)).catch(() => undefined);
  const finding = link ? shown(resolve(name)) : await findingAt(path, surroundings);
  if (finding === undefined) return path;
  throw new Error(
    `it is ${isThere ? 'empty' : 'not there'}, and ${finding}; restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one`,
  );
}

const shown = (path: string) => `${path} shows that one was there`;

async function findingAt(path: string, { backupFolder, isReplicated }: Surroundings) {
  // A first start that was killed leaves neither beside an empty file.
  if ((await sizeOf(`${path}-wal`)) > 0) return shown(`${path}-wal`);
  if (isMarkedOpen(path)) return shown(markerOf(path));
  const backups = backupFolder ? await readdir(backupFolder).catch(() => []) : [];
  const [newest] = backupsIn(backups, parse(path).name).finished;
  if (newest && backupFolder) {
    return `the backup ${join(backupFolder, newest.name)} shows that there is one`;
  }
  return isReplicated ? 'the replica may hold one' : undefined;
}

/** -1 if there is no such file. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? found.size : -1;
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

/**
 * Creates a missing file. To be called before the database is opened: closing the file afterwards would
 * drop the lock. Rejects with the system's error if this user may not read and write the file.
 */
export async function claimFile(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await (await open(path, 'a', OWNER_ONLY_FILE)).close();
  }
}
