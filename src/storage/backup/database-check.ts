// Checks every page and index entry of a copy of a database file, and counts its rows.

import { Connection } from '../file/connection.js';
import { DAMAGED, messageOf, NO_DATABASE } from '../file/connection-errors.js';
import { COUNT_ROWS } from '../file/file-schema.js';
import { expectOurs, expectWhole } from '../file/own-database.js';
import type { DatabaseContents } from './file-copy.js';

/**
 * Checks a file that no one else has open, after writing back the log beside it. Throws, saying
 * what it is, unless it is a whole database of this program's schema. `finish` is done last, on the
 * same connection: a file is released only when the statements on it are garbage-collected.
 */
export function checkDatabase(
  path: string,
  finish?: (connection: Connection) => void,
): DatabaseContents {
  const connection = new Connection(path);
  try {
    connection.value('pragma locking_mode = exclusive');
    expectOurs(connection);
    connection.value('pragma journal_mode = delete');
    expectWhole(connection, 'integrity_check');
    const [{ records, events } = {}] = connection.rows(COUNT_ROWS);
    finish?.(connection);
    return { recordCount: Number(records), auditEventCount: Number(events) };
  } catch (error) {
    const message = messageOf(error);
    if (NO_DATABASE.test(message)) throw new Error('it is not a SQLite database');
    throw DAMAGED.test(message) ? new Error(`it is damaged (${message})`) : error;
  } finally {
    connection.close();
  }
}
