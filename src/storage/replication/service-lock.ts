// "One process owns the file", also where the file itself is open to another
// program: a lock beside it, which the system drops with the process.

import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';
import { Connection } from '../file/connection.js';
import { LOCK_SUFFIX } from '../file/state-mark.js';

/** Returns the function that releases the lock. Throws `SQLITE_BUSY` if another service holds it after the busy time-out. */
export function lockService(databasePath: string): () => void {
  const path = databasePath + LOCK_SUFFIX;
  const connection = new Connection(path, { busyTimeoutMs: DATABASE_BUSY_TIMEOUT_MS });
  try {
    connection.lock();
  } catch (error) {
    connection.close();
    throw error;
  }
  return () => connection.close();
}
