// Checks a copy of a database file, and counts its rows.

import { Connection } from './connection.js';
import { DAMAGED, messageOf, NO_DATABASE } from './connection-errors.js';
import type { DatabaseContents } from './file-copy.js';
import { COUNT_ROWS } from './file-schema.js';
import { assertIntegrity, assertSchema } from './own-database.js';

/**
 * Checks a file that no one else has open, after writing back the log beside it. Throws, saying
 * what it is, unless it is a whole database of this program's schema. `finish` is done last, on the
 * same connection: a file is released only when the statements on it are garbage-collected.
 */
export function checkDatabase(
  path: string,
  check: 'quick_check' | 'integrity_check' = 'integrity_check',
  finish?: (connection: Connection) => void,
): DatabaseContents {
  const connection = new Connection(path);
  try {
    connection.value('pragma locking_mode = exclusive');
    assertSchema(connection);
    connection.value('pragma journal_mode = delete');
    assertIntegrity(connection, check);
    const [{ records, events } = {}] = connection.rows(COUNT_ROWS);
    finish?.(connection);
    // The next read lets go of the lock, which otherwise stays until the statements are collected.
    connection.value('pragma locking_mode = normal');
    connection.value('select count(*) from sqlite_master');
    return { recordCount: Number(records), auditEventCount: Number(events) };
  } catch (error) {
    const message = messageOf(error);
    if (NO_DATABASE.test(message)) throw new Error('it is not a SQLite database');
    throw DAMAGED.test(message) ? new Error(`it is damaged (${message})`) : error;
  } finally {
    connection.close();
  }
}
