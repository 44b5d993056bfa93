// Copies of database files, which only their owner may read, and what their errors mean.

import { createReadStream } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../disk-sync.js';
import { messageOf } from './connection-errors.js';

export const OWNER_ONLY_FILE = 0o600;
/** The copy is synced after each piece, so a commit's sync never waits for more bytes than this. */
const PIECE_BYTES = 4 * 1024 * 1024;

export interface DatabaseContents {
  readonly recordCount: number;
  readonly auditEventCount: number;
}

export interface Backup extends DatabaseContents {
  readonly bytes: number;
}

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

const NOT_WRITABLE = 'no permission to write in the folder; check its owner and permissions';
const ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such folder; make it, or mount its disk',
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  ENOSPC: 'its disk is full; make room',
};

/** The meaning of a file operation's error, for the operator. */
export function fileErrorText(error: unknown): string {
  return ERRORS[String(codeOf(error))] ?? messageOf(error);
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
