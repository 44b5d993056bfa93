// Opens and checks the database file: for a start, a check, a backup, a restore and a dump.
//
// The empty file `service.db-open`, the marker, exists while the log may have commits that no clean close
// has written back. A copy, a restored backup and a replica have no marker.

import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { Connection } from './connection.js';
import { USE_ANOTHER_FILE } from './connection-errors.js';
import { makeEmpty, syncFolder } from './durable-files.js';
import {
  APPLICATION_ID,
  COUNT_ROWS,
  type DatabaseContents,
  SCHEMA,
  SCHEMA_VERSION,
} from './file-schema.js';
import { EXCLUSIVE } from './file-sharing.js';

/** The shm file starts with two copies of its header, which SQLite compares at each read (sqlite.org/walformat.html, 2.1). */
const SHM_HEADER_BYTES = 48;

/**
 * Opens and locks a file, which may be empty. Throws if a start must refuse it: another process holds it, it
 * has another program or schema, or it was not closed and is damaged or has lost its log.
 */
export function openDatabase(
  path: string,
  { sharing = EXCLUSIVE, busyTimeoutMs = 0, acceptsMissingLog = false } = {},
) {
  const { ino } = fs.statSync(path, { bigint: true });
  // Before the file is opened, which creates a log.
  const lacksLog = isLogMissing(path);
  // If this throws, the caller's thread or process ends, which closes it.
  const connection = new Connection(path, busyTimeoutMs);
  connection.value(`pragma locking_mode = ${sharing.lockingMode}`);
  // The first read takes the lock.
  connection.value('select count(*) from sqlite_master');
  // The lock is on the opened file, which a restore may have replaced in the meantime.
  if (fs.statSync(path, { bigint: true }).ino !== ino) {
    throw new Error('it was just replaced; start again');
  }
  // Only under the lock: a process that is stopping would look like a killed one.
  const wasKilled = fs.existsSync(markerPath(path));
  if (wasKilled) {
    // Its last sync may have failed, or it was killed during a commit.
    connection.value('begin immediate');
    rewriteLog(path);
    invalidateShmFile(path);
    connection.value('rollback');
    assertIntegrity(connection);
  }
  // With Litestream, a missing log is normal: Litestream writes it back and removes it.
  if (wasKilled && sharing.isExclusive) {
    if (lacksLog && !acceptsMissingLog) {
      throw new Error(
        'its log is missing, and with it acknowledged writes; restore a backup, or start the service once with DATABASE_CREATE=yes to accept the loss',
      );
    }
    // The file now counts as closed, even if another program is the next to close it.
    truncateWal(connection);
    markClosed(path);
  }
  assertSchema(connection);
  return { connection, wasKilled };
}

/**
 * Throws unless the schema is exactly the one that this program writes: an extra trigger or view passes
 * every integrity check of SQLite, and could change what the program stores. Executes nothing of the
 * schema. A file without tables passes.
 */
function assertSchema(connection: Connection): void {
  const application = connection.value('pragma application_id');
  const version = connection.value('pragma user_version');
  const found = schemaOf(connection);
  if (application === 0 && version === 0 && found === '[]') return;
  if (application !== APPLICATION_ID) {
    throw new Error(`it belongs to another program; ${USE_ANOTHER_FILE}`);
  }
  if (version !== SCHEMA_VERSION) {
    throw new Error(
      `its schema has version ${version}, this program's has ${SCHEMA_VERSION}; run the release that wrote it`,
    );
  }
  // Created by the same statements as a database file, so the two cannot differ.
  const reference = new Connection(':memory:');
  for (const statement of SCHEMA) reference.value(statement);
  const isSame = found === schemaOf(reference);
  reference.close();
  if (!isSame)
    throw new Error(`its schema is not the one that this program writes; ${USE_ANOTHER_FILE}`);
}

/** Throws with SQLite's findings. `integrity_check` also checks every index entry. */
export function assertIntegrity(connection: Connection, check = 'quick_check'): void {
  const report = String(connection.value(`pragma ${check}`)).replaceAll(/\s+/g, ' ');
  if (report !== 'ok') throw new Error(`it is damaged (${report}); ${USE_ANOTHER_FILE}`);
}

/**
 * Writes back the log of a file that no other program has open, checks the file and counts its rows. Throws
 * unless it is an intact database with this program's schema. `finish` is called last, on the same
 * connection, because a file is released only when the statements on it are garbage-collected.
 */
export function checkDatabase(
  path: string,
  check = 'integrity_check',
  finish?: (connection: Connection) => void,
): DatabaseContents {
  const connection = new Connection(path);
  assertSchema(connection);
  connection.value('pragma journal_mode = delete');
  assertIntegrity(connection, check);
  const [contents] = connection.rows(COUNT_ROWS);
  finish?.(connection);
  connection.close();
  return contents as unknown as DatabaseContents;
}

/**
 * Without Litestream's own ordinary tables, which this program never reads. From `sqlite_master`, not
 * `sqlite_schema`: SQLite resolves the second name only if no table or view of the file has it.
 */
function schemaOf(connection: Connection): string {
  const sql = `
    select json_group_array(json_array(type, name, tbl_name, sql, rootpage > 0) order by name)
      from sqlite_master
     where not (type = 'table' and name = tbl_name and rootpage > 0
                and name in ('_litestream_seq', '_litestream_lock'))`;
  return String(connection.value(sql));
}

export const markerPath = (database: string) => `${database}-open`;

export const isLogMissing = (database: string) =>
  fs.existsSync(markerPath(database)) && !fs.existsSync(`${database}-wal`);

/** On disk when it returns, and not before the log, because a marker without a log means that the log was lost. */
export function markOpen(database: string): void {
  syncFolder(dirname(database));
  makeEmpty(markerPath(database));
  syncFolder(dirname(database));
}

/** Call after writing back the log, and before closing the connection, which removes it. */
export function markClosed(database: string): void {
  fs.rmSync(markerPath(database), { force: true });
  syncFolder(dirname(database));
}

/** Writes the log back into the file and empties it. */
export function truncateWal(connection: Connection): void {
  const busy = connection.value('pragma wal_checkpoint(truncate)');
  if (busy !== 0) throw new Error('the log cannot be written back');
}

/**
 * Writes the log's bytes again, unchanged, and syncs them. After a failed sync the system may consider
 * pages written that are not: they can be read, but no later sync writes them, and a power loss takes
 * them and every later commit. Call this only while holding the database's write lock.
 */
function rewriteLog(database: string): void {
  if (!fs.existsSync(`${database}-wal`)) return;
  const log = fs.openSync(`${database}-wal`, 'r+');
  const piece = Buffer.alloc(1_000_000);
  for (let position = 0; ; ) {
    const bytes = fs.readSync(log, piece, 0, piece.length, position);
    if (bytes === 0) break;
    position += fs.writeSync(log, piece, 0, bytes, position);
  }
  fs.fsyncSync(log);
  fs.closeSync(log);
}

/**
 * Makes SQLite read the log again before the next use of the database, so that every complete commit in it
 * counts. A process may be killed when its commit is in the log but not yet in the shm file; Litestream
 * takes that commit from the log, and SQLite would overwrite it. Call this only while holding the
 * database's write lock. Without a shm file, as under an exclusive lock, it does nothing.
 */
function invalidateShmFile(database: string): void {
  if (!fs.existsSync(`${database}-shm`)) return;
  // Left open until the process ends, because closing it would drop this process's locks.
  const shm = fs.openSync(`${database}-shm`, 'r+');
  fs.writeSync(shm, Buffer.alloc(SHM_HEADER_BYTES), 0, SHM_HEADER_BYTES, 0);
}
