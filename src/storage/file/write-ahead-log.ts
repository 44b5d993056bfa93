// The write-ahead log beside a database file. After a failure its bytes can be
// read from the system's memory, but may not be on the disk.

import { openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Connection } from './connection.js';

const PIECE_BYTES = 1_000_000;
/** The index beside the log begins with its header twice, which SQLite compares at each read (sqlite.org/walformat.html, 2.1). */
const INDEX_HEADER_BYTES = 48;

/**
 * Writes the log back into the file, so that the next commit begins at the log's start and
 * needs no more room. SQLite itself does so only when the log has 1,000 pages, and a full
 * disk may never hold that many. Throws if the file needs more room than there is; the log stays whole.
 */
export function reuseLog(connection: Connection): void {
  const [row] = connection.rows('pragma wal_checkpoint(restart)');
  if (row?.['busy'] !== 0) throw new Error('the log cannot be written back');
}

/**
 * Writes the log's bytes again, unchanged, and syncs them. After a failed sync the
 * system may take pages for written that are not: they can be read, but no later
 * sync writes them, and a power cut loses them with every later commit.
 * Call it only while holding the exclusive lock, between two commits.
 */
export async function rewriteLog(database: string): Promise<void> {
  const log = await openLog(`${database}-wal`);
  if (log === undefined) return;
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let position = 0; ; ) {
      const { bytesRead } = await log.read(piece, 0, PIECE_BYTES, position);
      if (bytesRead === 0) break;
      const { bytesWritten } = await log.write(piece, 0, bytesRead, position);
      position += bytesWritten;
    }
    await log.sync();
  } finally {
    await log.close();
  }
}

/** Undefined if there is no log, because nothing was written since the last clean stop. */
async function openLog(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes SQLite read the log anew before the next use of the database, so that every whole commit in it counts.
 * A process may be killed when its commit is in the log but not yet in the index. Litestream takes that commit
 * from the log, and SQLite would overwrite it. Call this only while holding the database's write lock. Returns
 * a file descriptor: close it after the last connection, because closing it earlier drops this process's locks.
 */
export function distrustIndex(database: string): number {
  const index = openSync(`${database}-shm`, 'r+');
  writeSync(index, Buffer.alloc(INDEX_HEADER_BYTES), 0, INDEX_HEADER_BYTES, 0);
  return index;
}
