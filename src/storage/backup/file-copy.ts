// Copies of database files. Only their owner may read them, and they are on disk
// when the copy resolves. Failures become sentences for the operator.

import { createReadStream } from 'node:fs';
import { link, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../disk-sync.js';
import { messageOf } from '../file/connection-errors.js';

const OWNER_ONLY_FILE = 0o600;
/** The copy is synced after each piece, so a commit's sync never waits for more bytes than this. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** Free space that a copy leaves to others on its disk. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/** The endings of the files that SQLite may leave beside a database file. */
export const SIDE_FILES = ['-journal', '-wal', '-shm'] as const;

/** Copies a file to one that is not there yet; resolves when the copy is on disk. */
export async function copySynced(source: string, target: string): Promise<void> {
  const to = await open(target, 'wx', OWNER_ONLY_FILE);
  try {
    for await (const piece of createReadStream(source, { highWaterMark: PIECE_BYTES })) {
      await to.writeFile(piece);
      await to.datasync();
    }
    await to.sync();
  } finally {
    await to.close();
  }
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

/** Rejects if a file of that size would fill the folder's disk. */
export async function expectRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [free, needed] = [bavail * bsize, bytes + RESERVE_BYTES].map((n) => Math.ceil(n / 1e6));
  if (bavail * bsize >= bytes + RESERVE_BYTES) return;
  throw new Error(`its disk has ${free} MB free, and ${needed} MB are needed; make room`);
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

const NOT_WRITABLE = 'no permission to write in the folder; check its owner and permissions';
const DISK_FULL = 'its disk is full; make room';
const ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such folder; make it, or mount its disk',
  ENOTDIR: 'a file is in the place of the folder; name a folder',
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  EFBIG: 'this process may not write so large a file; raise its limit',
};

/** The meaning of a file operation's error, for the operator. */
export function fileErrorText(error: unknown): string {
  return ERRORS[String(codeOf(error))] ?? messageOf(error);
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
