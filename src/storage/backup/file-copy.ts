// Copies of database files: written for their owner alone, on disk when they
// are done, and what to say where that cannot be.

import { type FileHandle, link, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

const OWNER_ONLY_FILE = 0o600;
/** Synced piece by piece: a commit's own sync never waits for more than this to be written. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** What a copy leaves to others on its disk. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/** What SQLite may leave beside a database file. */
export const SIDE_FILES = ['-journal', '-wal', '-shm'] as const;

/** Copies a file, by its path or held open, to one that is not there yet; resolves when the copy is on disk. */
export async function copySynced(source: string | FileHandle, target: string): Promise<void> {
  const from = typeof source === 'string' ? await open(source, 'r') : source;
  try {
    const to = await open(target, 'wx', OWNER_ONLY_FILE);
    try {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      for (;;) {
        const { bytesRead } = await from.read(piece, 0, PIECE_BYTES);
        if (bytesRead === 0) break;
        await to.writeFile(piece.subarray(0, bytesRead));
        await to.datasync();
      }
      await to.sync();
    } finally {
      await to.close();
    }
  } finally {
    if (from !== source) await from.close();
  }
}

/** Resolves when the file is on disk. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Resolves when the names in the folder are on disk, as far as the system can do that. */
export async function syncFolder(folder: string): Promise<void> {
  // Some file systems refuse it; SQLite goes on there as well.
  await syncFile(folder).catch(() => {});
}

/** A second name for the same file, which must not be taken; both names are on disk then. */
export async function nameAgain(path: string, name: string): Promise<void> {
  await link(path, name).catch(async (error: unknown) => {
    // A file system without such names gets a second file.
    if (codeOf(error) === 'EEXIST') throw error;
    await copySynced(path, name);
  });
  await syncFolder(dirname(name));
}

/** Removes a database file and what lies beside it, as far as it is there. */
export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', ...SIDE_FILES]) await rm(path + suffix, { force: true });
}

/** Rejects where a file of that size would fill the folder's disk. */
export async function expectRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= bytes + RESERVE_BYTES) return;
  throw new Error(
    `its disk has ${megabytes(free)} free, it needs ${megabytes(bytes)} and leaves ${megabytes(RESERVE_BYTES)} to others; make room`,
  );
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

/** What a file operation's error means to the operator. */
export function fileErrorText(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'its folder is not there; make it, or mount its disk';
    case 'ENOTDIR':
      return 'its folder is a file; name a folder';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'its folder cannot be written; check its owner and permissions';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'its disk is full; make room';
    case 'EFBIG':
      return 'this process may not write so large a file; raise its limit';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}
