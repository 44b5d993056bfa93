// Whether a database was there before, where none is now. A folder whose disk is not mounted
// looks like the folder of a first start; an empty database in its place would be taken for
// the real one, by clients, by the rotation of the backups and by the replica.

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { BackupNames } from '../backup/backup-names.js';
import {
  KEPT_AS,
  keptNameStart,
  LOCK_SUFFIX,
  litestreamFolderName,
  STATE_SUFFIX,
} from './names-beside.js';

export interface Surroundings {
  /** Absolute path of the database file. */
  readonly path: string;
  /** Folder of the backups, where there are any. */
  readonly backupFolder?: string | undefined;
  /** There is a replica. Litestream's socket does not tell whether it has a state. */
  readonly isReplicated: boolean;
}

/** Whether the file is missing or empty: a start would make a new database. */
export async function isAbsent(path: string): Promise<boolean> {
  return ((await stat(path).catch(() => undefined))?.size ?? 0) === 0;
}

/** Rejects with one sentence where a new database would take the place of an earlier one. */
export async function expectFirstStart(surroundings: Surroundings): Promise<void> {
  const { path } = surroundings;
  const finding = await findingIn(surroundings);
  if (finding === undefined) return;
  const present = (await stat(path).catch(() => undefined)) === undefined ? 'not there' : 'empty';
  throw new Error(
    `it is ${present}, and ${finding}; restore the database, mount its disk, or set DATABASE_CREATE=yes for a new one`,
  );
}

async function findingIn({
  path,
  backupFolder,
  isReplicated,
}: Surroundings): Promise<string | undefined> {
  const mark = await markBeside(path);
  if (mark !== undefined) return `${mark} shows that one was there`;
  const backup = backupFolder && (await newestBackup(backupFolder, path));
  if (backup !== undefined) return `the backup ${backup} shows that there is one`;
  return isReplicated ? 'the replica may hold one' : undefined;
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
  return (await isAbsent(`${path}-wal`)) ? undefined : `${path}-wal`;
}

async function newestBackup(folder: string, path: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  const [newest] = new BackupNames(parse(path).name).byAge(names);
  return newest && join(folder, newest[1]);
}
