// Copies and second names of files, which only their owner may read.

import { createReadStream, createWriteStream } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncFile, syncFolder } from '../disk-sync.js';

export const OWNER_ONLY_FILE = 0o600;
/** The endings of the files that SQLite may leave beside a database file. */
export const SIDE_FILES = ['-journal', '-wal', '-shm'] as const;

/** Copies a file to one that is not there yet; resolves when the copy is on disk. */
export async function copySynced(source: string, target: string): Promise<void> {
  const options = { flags: 'wx', mode: OWNER_ONLY_FILE };
  await pipeline(createReadStream(source), createWriteStream(target, options));
  await syncFile(target);
}

/** Gives the file a second name, which must be free. Resolves when both names are on disk. */
export async function nameAgain(path: string, name: string): Promise<void> {
  await link(path, name).catch(async (error: unknown) => {
    // On a file system without hard links this is a copy.
    if (codeOf(error) === 'EEXIST') throw error;
    await copySynced(path, name);
  });
  await syncFolder(dirname(name));
}

/** Removes a database file and the files of SQLite beside it, if they exist. */
export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', ...SIDE_FILES]) await rm(path + suffix, { force: true });
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
