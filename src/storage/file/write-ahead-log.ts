// The write-ahead log beside a database file, where it is in doubt how much of
// what can be read of it is on the disk.

import { type FileHandle, open } from 'node:fs/promises';

const PIECE_BYTES = 1_000_000;

/**
 * Writes the log's bytes again, as they are, and syncs them. After a sync that
 * failed, the system may hold for clean what it never wrote: it can be read, no
 * later sync writes it, and a power cut takes it with all that was built on it.
 * Only for the holder of the exclusive lock, between two writes.
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

/** Undefined where there is no log: nothing was written since the last clean stop. */
async function openLog(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
