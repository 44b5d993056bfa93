// "Is this file ours and whole?": a start, a check, a backup, a restore and a dump ask it here.
//
// The schema must be exactly the one that this program writes: a file with one more trigger or
// view passes every integrity check of SQLite, and changes on its own what the program stores.

import { existsSync, statSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';
import { Connection, libsql } from './connection.js';
import { isBusy, messageOf } from './connection-errors.js';
import { placeToOpen, refusalOf, type Surroundings } from './file-place.js';
import { APPLICATION_ID, SCHEMA_STEPS, SCHEMA_VERSION } from './file-schema.js';
import { isAsClosed, markClosed, missingLog } from './state-mark.js';
import { logBytesOf } from './write-ahead-log.js';

/** A file of this program, with the log that it needs, and locked. */
export interface OwnFile {
  readonly connection: Connection;
  readonly path: string;
  readonly isReplicated: boolean;
  /** A clean stop left it like this, so checks of each row or page may be skipped. */
  readonly isTrusted: boolean;
  /** Whether the path still leads to it. */
  readonly isInPlace: () => boolean;
}

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
    const { connection } = openOurs(path, { ...surroundings, isCheck: true });
    try {
      expectWhole(connection);
      return 'usable';
    } finally {
      // SQLite writes the log of a crash back when its last connection closes.
      markClosed(path);
      connection.close();
    }
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

/**
 * Throws, and changes nothing, if a start must refuse the file whatever its pages hold. A check locks
 * the file exclusively, also with a replica, and does not wait.
 */
export function openOurs(
  path: string,
  { isReplicated, isCheck = false }: { isReplicated: boolean; isCheck?: boolean },
): OwnFile {
  // Before it is opened, because opening creates a log.
  const { ino, size } = statSync(path, { bigint: true });
  const [logBytes, isTrusted] = [logBytesOf(path), isAsClosed(path)];
  const isInPlace = () => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === ino;
  const connection = new Connection(path, isCheck ? 0 : DATABASE_BUSY_TIMEOUT_MS);
  try {
    const isShared = isReplicated && !isCheck;
    connection.value(`pragma locking_mode = ${isShared ? 'normal' : 'exclusive'}`);
    // The first read takes the lock.
    connection.value('select count(*) from sqlite_master');
    // The lock is on the opened file. A restore may have put another file in its place since.
    if (!isInPlace()) throw new Error('it was just replaced; start again');
    // An empty file gets this far only with `DATABASE_CREATE`.
    const missing = size === 0n ? undefined : missingLog(path, logBytes, isReplicated);
    if (missing !== undefined) throw new Error(missing);
    try {
      expectOurs(connection, { mayBeNew: true });
    } catch (error) {
      // SQLite writes the log of a crash back when its last connection closes.
      markClosed(path);
      throw error;
    }
    return { connection, path, isReplicated, isTrusted, isInPlace };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Throws if the database belongs to another program, is newer than this one, or if its schema is not
 * exactly the one that `SCHEMA_STEPS` creates for its version. Runs nothing of the schema. `mayBeNew`:
 * a file without any table is ours, too. For a start, connection-errors.ts adds what to do.
 */
export function expectOurs(connection: Connection, { mayBeNew = false } = {}): void {
  const application = Number(connection.value('pragma application_id'));
  const version = Number(connection.value('pragma user_version'));
  const isMarked = application !== 0 || version !== 0;
  const found = objectsOf(connection);
  const isNew = mayBeNew && !isMarked && found.length === 0;
  if (!isNew && application !== APPLICATION_ID) throw new Error('it belongs to another program');
  const versions = `version ${version}, this program knows up to ${SCHEMA_VERSION}`;
  if (version > SCHEMA_VERSION) throw new Error(`its schema has ${versions}`);
  // Made by the same statements as a database file, so the two cannot differ.
  const own = new Connection(':memory:');
  for (const sql of SCHEMA_STEPS.slice(0, version).flat()) own.value(sql);
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
  const missing = expected.find((object) => !found.includes(object));
  if (missing === undefined) return;
  const [type, name] = JSON.parse(missing);
  // SQLite's own message for a missing object.
  throw new Error(`no such ${type}: ${name}`);
}

/** Throws with what SQLite finds. `integrity_check` also checks every index entry. */
export function expectWhole(
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
