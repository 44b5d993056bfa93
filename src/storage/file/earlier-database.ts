// Whether a database was there before, where none is now. A folder whose disk is not mounted
// looks like the folder of a first start; an empty database in its place would be taken for
// the real one, by clients, by the rotation of the backups and by the replica.

import { readdir, stat } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { backupsIn } from '../backup/backup-files.js';
import { isBeside } from './names-beside.js';

export interface Surroundings {
  /** Absolute path of the database file. */
  readonly path: string;
  /** The link that leads there, if its target is missing. */
  readonly danglingLink?: string | undefined;
  /** Folder of the backups, where there are any. */
  readonly backupFolder?: string | undefined;
  /** There is a replica. Litestream's socket does not tell whether it has a state. */
  readonly isReplicated: boolean;
}

/**
 * Rejects with one sentence if the file is missing or empty, so that a start would make a new
 * database, and this one would take the place of an earlier one.
 */
export async function expectFirstStart(surroundings: Surroundings): Promise<void> {
  const size = await sizeOf(surroundings.path);
  if (size > 0) return;
  const finding = await findingIn(surroundings);
  if (finding === undefined) return;
  throw new Error(
    `it is ${size === 0 ? 'empty' : 'not there'}, and ${finding}; restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one`,
  );
}

async function findingIn(surroundings: Surroundings): Promise<string | undefined> {
  const { path, danglingLink, backupFolder, isReplicated } = surroundings;
  const folder = dirname(path);
  const beside = (await namesIn(folder)).find((name) => isBeside(path, name));
  const log = (await sizeOf(`${path}-wal`)) > 0 ? `${path}-wal` : undefined;
  const mark = danglingLink ?? (beside === undefined ? log : join(folder, beside));
  if (mark !== undefined) return `${mark} shows that one was there`;
  const backups = backupFolder === undefined ? [] : await namesIn(backupFolder);
  const [newest] = backupsIn(backups, parse(path).name).finished;
  if (newest && backupFolder) {
    return `the backup ${join(backupFolder, newest.name)} shows that there is one`;
  }
  return isReplicated ? 'the replica may hold one' : undefined;
}

/** -1 if there is no such file. */
async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? -1;
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
