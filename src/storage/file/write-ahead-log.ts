// The write-ahead log beside a database file. After a failure its bytes can be
// read from the system's memory, but may not be on the disk.

import { type FileHandle, open } from 'node:fs/promises';

const PIECE_BYTES = 1_000_000;

/**
 * Writes the log's bytes again, unchanged, and syncs them. After a failed sync the
 * system may treat pages as written that it never wrote: they can be read, no later
 * sync writes them, and a power cut loses them with everything built on them.
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
