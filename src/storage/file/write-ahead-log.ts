// The write-ahead log beside a database file. After a failure its bytes can be read from the
// system's memory, but may not be on the disk.

import { closeSync, existsSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { hasLog } from './open-marker.js';

const PIECE_BYTES = 1_000_000;
/** The index beside the log begins with its header twice, which SQLite compares at each read (sqlite.org/walformat.html, 2.1). */
const INDEX_HEADER_BYTES = 48;

/**
 * Writes the log's bytes again, unchanged, and syncs them. After a failed sync the system may consider
 * pages written that are not: they can be read, but no later sync writes them, and a power loss takes
 * them and every later commit. Call it only while no one else may write the log.
 */
export function rewriteLog(database: string): void {
  if (!hasLog(database)) return;
  const log = openSync(`${database}-wal`, 'r+');
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let position = 0; ; ) {
      const bytes = readSync(log, piece, 0, PIECE_BYTES, position);
      if (bytes === 0) break;
      position += writeSync(log, piece, 0, bytes, position);
    }
    fsyncSync(log);
  } finally {
    closeSync(log);
  }
}

/**
 * Makes SQLite read the log again before the next use of the database, so that every whole commit in it
 * counts. A process may be killed when its commit is in the log but not yet in the index; Litestream
 * takes that commit from the log, and SQLite would overwrite it. Call this only while holding the
 * database's write lock. Returns a file descriptor, to be closed after the last connection: closing it
 * earlier drops this process's locks. Undefined without an index, as under an exclusive lock.
 */
export function invalidateShmFile(database: string): number | undefined {
  if (!existsSync(`${database}-shm`)) return undefined;
  const index = openSync(`${database}-shm`, 'r+');
  writeSync(index, Buffer.alloc(INDEX_HEADER_BYTES), 0, INDEX_HEADER_BYTES, 0);
  return index;
}
