// The write-ahead log beside a database file, and the empty file `service.db-open`, which is there while
// the log may have commits that no clean close has written back. A copy, a restored backup and a
// replica have none.

import { closeSync, existsSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolderNow } from '../disk-sync.js';
import { OWNER_ONLY_FILE } from './file-copy.js';

const PIECE_BYTES = 1_000_000;
/** The index beside the log begins with its header twice, which SQLite compares at each read (sqlite.org/walformat.html, 2.1). */
const INDEX_HEADER_BYTES = 48;

export const markerOf = (database: string) => `${database}-open`;
export const hasLog = (database: string) => existsSync(`${database}-wal`);

/** On disk when it returns, and after the log: a marker without a log means that the log was lost. */
export function markOpen(database: string): void {
  syncFolderNow(dirname(database));
  closeSync(openSync(markerOf(database), 'a', OWNER_ONLY_FILE));
  syncFolderNow(dirname(database));
}

/** To be called once the log is written back, and before the connection closes, which removes it. */
export function markClosed(database: string): void {
  rmSync(markerOf(database), { force: true });
  syncFolderNow(dirname(database));
}

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
 * database's write lock. Without an index, as under an exclusive lock, it does nothing.
 */
export function invalidateShmFile(database: string): void {
  if (!existsSync(`${database}-shm`)) return;
  // Left open until the process ends: closing it would drop this process's locks.
  const index = openSync(`${database}-shm`, 'r+');
  writeSync(index, Buffer.alloc(INDEX_HEADER_BYTES), 0, INDEX_HEADER_BYTES, 0);
}
