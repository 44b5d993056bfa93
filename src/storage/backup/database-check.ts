// Checks every page and index entry of a copy of a database file, and counts its rows.

import { Connection } from '../file/connection.js';
import { messageOf } from '../file/connection-errors.js';
import { COUNT_BY_COLLECTION, COUNT_EVENTS } from '../file/file-schema.js';
import { expectOurs, expectWhole } from '../file/own-database.js';
import type { DatabaseContents } from './backups.js';

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
    const records = connection
      .rows(COUNT_BY_COLLECTION)
      .map((row) => [String(row['collection']), Number(row['records'])] as const);
    const contents = {
      recordCount: records.reduce((sum, [, count]) => sum + count, 0),
      records: Object.fromEntries(records),
      auditEventCount: Number(connection.value(COUNT_EVENTS)),
    };
    finish?.(connection);
    return contents;
  } catch (error) {
    throw new Error(findingOf(error), { cause: error });
  } finally {
    connection.close();
  }
}

/**
 * Rewrites a checked copy. Where SQLite moved records between pages it may have left deleted ones
 * behind, even with `secure_delete`: no backup has those.
 */
export function compact(connection: Connection): void {
  // A copy that breaks off is removed: nothing needs to be rolled back.
  connection.value('pragma journal_mode = off');
  connection.value('vacuum');
  expectWhole(connection);
}

function findingOf(error: unknown): string {
  const message = messageOf(error);
  if (/SQLITE_NOTADB|not a database/i.test(message)) return 'it is not a SQLite database';
  if (/SQLITE_CORRUPT|malformed|no such (table|column|index)/i.test(message)) {
    return `it is damaged (${message})`;
  }
  return message;
}
