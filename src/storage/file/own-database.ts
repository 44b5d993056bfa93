// "Is this file ours and whole?": a start, a check, a backup, a restore and a dump ask it here.
//
// The schema must be exactly the one that this program writes: a file with one more trigger or
// view passes every integrity check of SQLite, and changes on its own what the program stores.

import { existsSync, statSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Connection, libsql } from './connection.js';
import { isBusy, messageOf } from './connection-errors.js';
import { placeToOpen, refusalOf, type Surroundings } from './file-place.js';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './file-schema.js';
import { closeAsFound, hasLog, isMarkedOpen } from './open-marker.js';

export const LOG_MISSING = 'its log is missing, and acknowledged writes with it';

/** `absent`: missing or empty; `held`: by another process, most likely the service, so it was not read. */
export type FileState = 'usable' | 'absent' | 'held';

/** Checks the file as a start would. Rejects with one sentence if a start would refuse the file or its folder. */
export async function inspectDatabase(
  name: string,
  surroundings: Surroundings,
): Promise<FileState> {
  try {
    libsql();
    const path = await placeToOpen(name, surroundings);
    const isThere = existsSync(path);
    await access(isThere ? path : nearestFolder(path), constants.R_OK | constants.W_OK);
    if (!isThere || statSync(path).size === 0) return 'absent';
    const hadLog = hasLog(path);
    const lacksLog = isMarkedOpen(path) && !hadLog && !surroundings.isReplicated;
    const connection = openDatabase(path, 'exclusive', 0);
    try {
      assertIntegrity(connection);
    } finally {
      closeAsFound(connection, path, hadLog);
    }
    if (lacksLog && !surroundings.createAnyway) throw new Error(LOG_MISSING);
    return 'usable';
  } catch (error) {
    if (isBusy(messageOf(error))) return 'held';
    throw refusalOf(name, error);
  }
}

/** Ends with `/.`, which the system refuses if it is not a folder. */
function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  return `${folder}/.`;
}

/** Locked. Throws, and changes nothing, if a start must refuse the file whatever its pages hold. */
export function openDatabase(
  path: string,
  lockingMode: 'exclusive' | 'normal',
  busyTimeoutMs: number,
): Connection {
  const { ino } = statSync(path, { bigint: true });
  const hadLog = hasLog(path);
  const connection = new Connection(path, busyTimeoutMs);
  try {
    connection.value(`pragma locking_mode = ${lockingMode}`);
    // The first read takes the lock.
    connection.value('select count(*) from sqlite_master');
    // The lock is on the opened file. A restore may have put another file in its place since.
    if (statSync(path, { bigint: true }).ino !== ino) {
      throw new Error('it was just replaced; start again');
    }
    assertSchema(connection, { mayBeNew: true });
    return connection;
  } catch (error) {
    closeAsFound(connection, path, hadLog);
    throw error;
  }
}

/**
 * Throws if the database belongs to another program, is newer or older than this one, or if its schema
 * is not exactly `SCHEMA`. Runs nothing of the schema. `mayBeNew`: a file without any table is ours,
 * too. For a start, connection-errors.ts adds what to do.
 */
export function assertSchema(connection: Connection, { mayBeNew = false } = {}): void {
  const application = Number(connection.value('pragma application_id'));
  const version = Number(connection.value('pragma user_version'));
  const found = objectsOf(connection);
  if (mayBeNew && application === 0 && version === 0 && found.length === 0) return;
  if (application !== APPLICATION_ID) throw new Error('it belongs to another program');
  if (version !== SCHEMA_VERSION) {
    throw new Error(`its schema has version ${version}, this program's has ${SCHEMA_VERSION}`);
  }
  // Made by the same statements as a database file, so the two cannot differ.
  const own = new Connection(':memory:');
  for (const statement of SCHEMA) own.value(statement);
  const expected = objectsOf(own);
  own.close();
  const foreign = found.find((object) => !expected.includes(object));
  if (foreign !== undefined) {
    // Both come from the file, so the name is quoted and cut.
    const [type, name] = JSON.parse(foreign);
    const quoted = JSON.stringify(String(name).slice(0, 60));
    const kind = /^(table|index|view|trigger)$/.test(type) ? type : 'object';
    throw new Error(
      `its schema is not the one that this program writes (it has the ${kind} ${quoted})`,
    );
  }
  if (found.length < expected.length) throw new Error('it is damaged (a table is missing)');
}

/** Throws with what SQLite finds. `integrity_check` also checks every index entry. */
export function assertIntegrity(
  connection: Connection,
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): void {
  const report = String(connection.value(`pragma ${check}`));
  if (report !== 'ok') throw new Error(`it is damaged (${report.replaceAll(/\s+/g, ' ')})`);
}

/**
 * As JSON texts. Litestream makes ordinary tables of its own, which this program never reads.
 * `sqlite_master`, not `sqlite_schema`: SQLite resolves the first name before any table, but the
 * second one only if no table or view of the file has that name.
 */
function objectsOf(connection: Connection): string[] {
  const rows = connection.rows(`
    select json_array(type, name, tbl_name, sql, rootpage > 0) as object from sqlite_master
     where not (type = 'table' and name = tbl_name and rootpage > 0
                and name in ('_litestream_seq', '_litestream_lock'))`);
  return rows.map(({ object }) => String(object));
}
