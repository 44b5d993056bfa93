// Checks every page and every index entry of a database file's copy, and counts
// its records.

import { Connection } from '../file/connection.js';
import {
  APPLICATION_ID,
  COUNT_BY_COLLECTION,
  COUNT_EVENTS,
  COUNT_RECORDS,
  SCHEMA_VERSION,
} from '../file/file-schema.js';
import { DISTRUST_SCHEMA, expectOwnSchema } from '../file/schema-check.js';
import type { DatabaseContents } from './database-contents.js';

/**
 * Checks a file that nobody else has open, first taking into it what lies in
 * the log beside it, so that it is one file afterwards. Throws, saying what it
 * is instead, where it is not a whole database of this program's schema.
 * `finish` is done last, on the same connection: a file is let go
 * only when the statements on it are collected.
 */
export function checkDatabase(
  path: string,
  finish?: (connection: Connection) => void,
): DatabaseContents {
  const connection = new Connection(path);
  try {
    connection.value(DISTRUST_SCHEMA);
    connection.value('pragma locking_mode = exclusive');
    expectOurs(connection);
    connection.value('pragma journal_mode = delete');
    const report = String(connection.value('pragma integrity_check'));
    if (report !== 'ok') throw new Error(`it is damaged (${report.replaceAll(/\s+/g, ' ')})`);
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

/** The number of records in a finished backup, which is only read. Throws where it is none. */
export function countRecords(path: string): number {
  const connection = new Connection(path);
  try {
    connection.value(DISTRUST_SCHEMA);
    expectOurs(connection);
    return Number(connection.value(COUNT_RECORDS));
  } finally {
    connection.close();
  }
}

/**
 * Writes a checked copy anew. Where SQLite moved records between pages it may
 * have left older ones behind, even with `secure_delete`: no backup has those.
 */
export function compact(connection: Connection): void {
  // A copy that breaks off is removed: nothing needs to be rolled back.
  connection.value('pragma journal_mode = off');
  connection.value('vacuum');
  const report = String(connection.value('pragma quick_check'));
  if (report !== 'ok') throw new Error(`it is damaged (${report.replaceAll(/\s+/g, ' ')})`);
}

/** Throws where the database is of another program, newer than this one, or not exactly of its schema. */
export function expectOurs(connection: Connection): void {
  if (Number(connection.value('pragma application_id')) !== APPLICATION_ID) {
    throw new Error('it is no database of this program');
  }
  const version = Number(connection.value('pragma user_version'));
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `its schema has version ${version}, this program knows up to ${SCHEMA_VERSION}`,
    );
  }
  expectOwnSchema(connection, version);
}

function findingOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/SQLITE_NOTADB|not a database/i.test(message)) return 'it is not a SQLite database';
  if (/SQLITE_CORRUPT|malformed|no such (table|column|index)/i.test(message)) {
    return `it is damaged (${message})`;
  }
  return message;
}
