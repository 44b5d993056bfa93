// Whether this process has the database file for itself, or shares it with Litestream. Chosen once,
// when the file is opened; nothing else asks.

import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';
import { Connection } from './connection.js';

export interface FileSharing {
  readonly lockingMode: 'exclusive' | 'normal';
  /** Pages of the log at which a commit writes it back; 0: never. */
  readonly checkpointPages: number;
  /** Another process may have written the log back and removed it. */
  readonly mayLackLog: boolean;
  /** How a backup's process opens the file, as SQLite's URI has it. */
  readonly backupMode: 'immutable=1' | 'mode=ro';
  /** Locks the file for this process where SQLite's own lock doesn't; released by `close`. */
  lock(path: string): { close(): void };
}

/**
 * SQLite's lock keeps every other process out. A backup reads the file without a lock and without its
 * log, so checkpoints pause meanwhile.
 */
export const EXCLUSIVE: FileSharing = {
  lockingMode: 'exclusive',
  // SQLite's default.
  checkpointPages: 1_000,
  mayLackLog: false,
  backupMode: 'immutable=1',
  lock: () => ({ close() {} }),
};

/** The lock that allows one service for each file beside Litestream. Its file is empty and may stay: only its lock counts. */
const LOCK_SUFFIX = '-service-lock';

/**
 * Litestream reads the file, and only Litestream writes the log back: this library's SQLite may lose a
 * commit if it does so while another process writes.
 */
export const WITH_LITESTREAM: FileSharing = {
  lockingMode: 'normal',
  checkpointPages: 0,
  mayLackLog: true,
  backupMode: 'mode=ro',
  lock(path) {
    const lock = new Connection(path + LOCK_SUFFIX, DATABASE_BUSY_TIMEOUT_MS);
    lock.lock();
    return lock;
  },
};
