// Whether a database was there before, where none is now. A folder whose disk is not mounted
// looks like the folder of a first start; an empty database in its place would be taken for
// the real one, by clients, by the rotation of the backups and by the replica.

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { backupsIn } from '../backup/backup-files.js';
import type { FilePlace } from './file-place.js';
import {
  KEPT_AS,
  keptNameStart,
  LOCK_SUFFIX,
  litestreamFolderName,
  STATE_SUFFIX,
} from './names-beside.js';

interface Surroundings extends FilePlace {
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
  if ((size ?? 0) > 0) return;
  const finding = await findingIn(surroundings);
  if (finding === undefined) return;
  throw new Error(
    `it is ${size === 0 ? 'empty' : 'not there'}, and ${finding}; restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one`,
  );
}

async function findingIn(surroundings: Surroundings): Promise<string | undefined> {
  const { path, danglingLink, backupFolder, isReplicated } = surroundings;
  const mark = danglingLink ?? (await markBeside(path));
  if (mark !== undefined) return `${mark} shows that one was there`;
  const backup = backupFolder && (await newestBackup(backupFolder, path));
  if (backup !== undefined) return `the backup ${backup} shows that there is one`;
  return isReplicated ? 'the replica may hold one' : undefined;
}

/** Undefined if there is no such file. */
async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

/** The path of a file that only a database leaves. A first start that was killed leaves none of them. */
async function markBeside(path: string): Promise<string | undefined> {
  const folder = dirname(path);
  const name = basename(path);
  const names = await readdir(folder).catch(() => []);
  const certain = [name + STATE_SUFFIX, name + LOCK_SUFFIX, litestreamFolderName(path)];
  const starts = KEPT_AS.map((as) => keptNameStart(path, as));
  const mark = names.find(
    (found) => certain.includes(found) || starts.some((start) => found.startsWith(start)),
  );
  if (mark !== undefined) return join(folder, mark);
  return ((await sizeOf(`${path}-wal`)) ?? 0) > 0 ? `${path}-wal` : undefined;
}

async function newestBackup(folder: string, path: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  const [newest] = backupsIn(names, parse(path).name).finished;
  return newest && join(folder, newest.name);
}
