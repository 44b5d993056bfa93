// "Is this file ours and whole?": a start, a check, a backup, a restore and a dump ask it here.
//
// The schema must be exactly the one that this program writes: a file with one more trigger or
// view passes every integrity check of SQLite, and changes on its own what the program stores.

import { statSync } from 'node:fs';
import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';
import { Connection, type Locking, lockingOf } from './connection.js';
import { APPLICATION_ID, SCHEMA_STEPS, SCHEMA_VERSION } from './file-schema.js';
import { isAsClosed, markClosed, missingLog } from './state-mark.js';
import { logBytesOf } from './write-ahead-log.js';

/** The refusals begin with these words. What to do depends on who asks. */
export const NOT_OURS = 'it belongs to another program';
export const TOO_NEW = 'its schema has version';
export const DAMAGED = 'it is damaged (';
export const FOREIGN_SCHEMA = 'its schema is not the one that this program writes';

const NAME_MAX_CHARACTERS = 60;

/** A file that is this program's, with the log that it needs, and locked. */
export interface OwnFile {
  readonly connection: Connection;
  readonly path: string;
  readonly holding: Locking;
  /** It is as a clean stop left it, so what looks at each row or page may be left out. */
  readonly isTrusted: boolean;
  /** Whether the path still leads to it. */
  readonly isInPlace: () => boolean;
}

/**
 * Throws, without a change, if a start must refuse the file. What its pages hold is `expectWhole`'s
 * question. `holding`: how a service holds it, which decides what log must be there; `locking`: how
 * this caller locks it.
 */
export function openOurs(
  path: string,
  holding: Locking,
  { locking = holding, busyTimeoutMs = DATABASE_BUSY_TIMEOUT_MS } = {},
): OwnFile {
  // Asked before it is opened, because opening makes a log.
  const { ino, size } = statSync(path, { bigint: true });
  const [logBytes, isTrusted] = [logBytesOf(path), isAsClosed(path)];
  const isInPlace = () => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === ino;
  const connection = new Connection(path, { busyTimeoutMs });
  try {
    connection.value(`pragma locking_mode = ${lockingOf(locking)}`);
    // The first read takes the lock.
    connection.value('select count(*) from sqlite_master');
    // The lock is on the opened file. A restore may have put another file in its place since.
    if (!isInPlace()) throw new Error('it was just replaced; start again');
    // An empty file comes here only on purpose (`DATABASE_CREATE`): nothing of it can be missing.
    const missing = size === 0n ? undefined : missingLog(path, logBytes, holding);
    if (missing !== undefined) throw new Error(missing);
    try {
      expectOurs(connection, { mayBeNew: true });
    } catch (error) {
      // SQLite writes the log of a crash back when its last connection closes.
      markClosed(path);
      throw error;
    }
    return { connection, path, holding, isTrusted, isInPlace };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Throws if the database is of another program, newer than this one, or not exactly of its
 * schema. Runs nothing of the schema. `mayBeNew`: a file without any table is ours, too.
 */
export function expectOurs(connection: Connection, { mayBeNew = false } = {}): void {
  const application = Number(connection.value('pragma application_id'));
  const version = Number(connection.value('pragma user_version'));
  const isMarked = application !== 0 || version !== 0;
  const isNew = mayBeNew && !isMarked && objectsOf(connection).length === 0;
  if (!isNew && application !== APPLICATION_ID) throw new Error(NOT_OURS);
  if (version > SCHEMA_VERSION) {
    throw new Error(`${TOO_NEW} ${version}, this program knows up to ${SCHEMA_VERSION}`);
  }
  expectOwnSchema(connection, version);
}

/** Throws with what SQLite finds. `integrity_check` looks at every entry of an index, too. */
export function expectWhole(
  connection: Connection,
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): void {
  const report = String(connection.value(`pragma ${check}`));
  if (report !== 'ok') throw new Error(`${DAMAGED}${report.replaceAll(/\s+/g, ' ')})`);
}

/**
 * Compares the file's schema, object by object and to the letter, with the one that `SCHEMA_STEPS`
 * makes up to `version`; version 0 is an empty file. Throws an error that names an object that is
 * foreign, changed or missing.
 */
export function expectOwnSchema(connection: Connection, version: number): void {
  // The same statements make a database file and this schema, so that the two cannot differ.
  const own = new Connection(':memory:');
  for (const sql of SCHEMA_STEPS.slice(0, version).flat()) own.value(sql);
  const [found, expected] = [objectsOf(connection), objectsOf(own)];
  own.close();
  const foreign = found.find((object) => !expected.includes(object));
  if (foreign !== undefined) throw new Error(`${FOREIGN_SCHEMA} (it has ${described(foreign)})`);
  const missing = expected.find((object) => !found.includes(object));
  if (missing === undefined) return;
  const [type, name] = JSON.parse(missing);
  // SQLite's own message for a missing object.
  throw new Error(`no such ${type}: ${name}`);
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

/** The name comes from the file, so it is quoted and cut. */
function described(object: string): string {
  const [type, name] = JSON.parse(object);
  const kind = ['table', 'index', 'view', 'trigger'].includes(type) ? type : 'object';
  return `the ${kind} ${JSON.stringify(String(name).slice(0, NAME_MAX_CHARACTERS))}`;
}
