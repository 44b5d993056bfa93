// "One process owns the file", also where the file itself is open to another
// program: a lock beside it, which the system drops with the process.

import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';
import { DATABASE_BUSY_TIMEOUT_MS } from '../../domain/limits.js';

/** After the database's path. The file stays empty and may stay: only its lock counts. */
export const LOCK_SUFFIX = '-service-lock';

/**
 * Locks for this process. Resolves with the function that releases the lock.
 * Rejects with `SQLITE_BUSY` where another service holds it after the busy time-out.
 */
export async function lockService(databasePath: string): Promise<() => void> {
  const client = createClient({
    url: pathToFileURL(databasePath + LOCK_SUFFIX).href,
    concurrency: 1,
    timeout: DATABASE_BUSY_TIMEOUT_MS,
  });
  try {
    // In exclusive mode the lock stays after the transaction. The transaction writes nothing, so the file stays empty.
    await client.execute('pragma locking_mode = exclusive');
    await client.executeMultiple('begin exclusive; commit');
    return () => client.close();
  } catch (error) {
    client.close();
    throw error;
  }
}
