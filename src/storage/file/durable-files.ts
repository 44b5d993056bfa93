// Files and names that survive a power cut, and that only their owner may read.

import * as fs from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
/** Suffixes of the files that SQLite may leave with a database file. */
export const SIDE_FILES = ['-journal', '-wal', '-shm'] as const;

/** The file is on disk when it returns. `r+`, because Windows syncs only a file that is open for writing. */
export function syncFile(path: string, flags = 'r+'): void {
  const file = fs.openSync(path, flags);
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** The names in the folder are on disk when it returns. Like SQLite, ignores that some file systems, and Windows, can't sync a folder. */
export function syncFolder(folder: string): void {
  try {
    syncFile(folder, 'r');
  } catch {}
}

/** Creates a missing folder, and syncs its parents, without which a power cut may remove it with everything in it. */
export function makeFolder(folder: string): void {
  const first = fs.mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  for (let made = folder; first && made.length >= first.length; made = dirname(made)) {
    syncFolder(dirname(made));
  }
}

/** Creates an empty file unless it exists. */
export const makeEmpty = (path: string) => fs.closeSync(fs.openSync(path, 'a', OWNER_ONLY_FILE));

/** Copies a file to a new name. The copy is on disk when it returns. */
export function copyDurably(source: string, target: string): void {
  fs.copyFileSync(source, target, fs.constants.COPYFILE_EXCL);
  fs.chmodSync(target, OWNER_ONLY_FILE);
  syncFile(target);
}

/** Gives the file a second name, which must be free. Both names are on disk when it returns. */
export function linkOrCopy(path: string, name: string): void {
  try {
    fs.linkSync(path, name);
  } catch {
    // For a file system without hard links. Throws if the name is taken.
    copyDurably(path, name);
  }
  syncFolder(dirname(name));
}

/** Removes a database file and SQLite's side files, if they exist. */
export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', ...SIDE_FILES]) await rm(path + suffix, { force: true });
}
