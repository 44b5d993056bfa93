// "Is this file ours and whole?": a start, a check, a backup, a restore and a dump ask it here.
//
// The schema must be exactly the one that this program writes: a file with one more trigger or
// view passes every integrity check of SQLite, and changes on its own what the program stores.

import { Connection, type SqlRow } from './connection.js';
import { APPLICATION_ID, SCHEMA_STEPS, SCHEMA_VERSION } from './file-schema.js';

/** The refusals begin with these words. What to do depends on who asks. */
export const NOT_OURS = 'it is no database of this program';
export const TOO_NEW = 'its schema has version';
export const DAMAGED = 'it is damaged (';
export const FOREIGN_SCHEMA = 'its schema is not the one that this program writes';

/**
 * Throws where the database is of another program, newer than this one, or not exactly of
 * its schema. Runs nothing of the schema. `mayBeNew`: a file without any table is ours, too.
 */
export function expectOurs(connection: Connection, { mayBeNew = false } = {}): void {
  const application = Number(connection.value('pragma application_id'));
  const version = Number(connection.value('pragma user_version'));
  const isNew =
    mayBeNew &&
    application === 0 &&
    version === 0 &&
    connection.value('select count(*) from sqlite_master') === 0;
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

/** How many objects a refusal names. */
const NAMED_MAX_OBJECTS = 3;
const NAME_MAX_CHARACTERS = 60;

/**
 * `sqlite_master`, not `sqlite_schema`: SQLite resolves the first name before any
 * table, but the second one only if no table or view of the file has that name.
 * Litestream makes ordinary tables of its own, which this program never reads.
 */
const LIST_OBJECTS = `
  select type, name, json_array(type, name, tbl_name, sql, rootpage > 0) as text,
         type = 'table' and name = tbl_name and rootpage > 0
           and name in ('_litestream_seq', '_litestream_lock') as is_litestreams
    from sqlite_master`;

/**
 * Compares the file's schema, object by object and to the letter, with the one
 * that `SCHEMA_STEPS` makes up to `version`; version 0 is an empty file.
 * If an object is foreign, changed or missing, throws an error that names it. Runs nothing of the schema.
 */
export function expectOwnSchema(connection: Connection, version: number): void {
  const found = connection.rows(LIST_OBJECTS);
  const expected = expectedObjects(version);
  const foreign = found.filter(
    (object) => object['is_litestreams'] !== 1 && !has(expected, object),
  );
  if (foreign.length > 0) throw new Error(`${FOREIGN_SCHEMA} (it has ${listed(foreign)})`);
  const missing = expected.find((object) => !has(found, object));
  // SQLite's own message for a missing object.
  if (missing !== undefined) throw new Error(`no such ${missing['type']}: ${missing['name']}`);
}

/** The same statements make a database file and this schema, so that the two cannot differ. */
function expectedObjects(version: number): SqlRow[] {
  const connection = new Connection(':memory:');
  try {
    for (const sql of SCHEMA_STEPS.slice(0, version).flat()) connection.value(sql);
    return connection.rows(LIST_OBJECTS);
  } finally {
    connection.close();
  }
}

function has(objects: readonly SqlRow[], wanted: SqlRow): boolean {
  return objects.some((object) => object['text'] === wanted['text']);
}

function listed(objects: readonly SqlRow[]): string {
  const rest = objects.length - NAMED_MAX_OBJECTS;
  const named = objects.slice(0, NAMED_MAX_OBJECTS).map(described).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}

/** The name comes from the file, so it is quoted and cut. */
function described({ type, name }: SqlRow): string {
  const kind = ['table', 'index', 'view', 'trigger'].includes(String(type)) ? type : 'object';
  return `the ${kind} ${JSON.stringify(String(name).slice(0, NAME_MAX_CHARACTERS))}`;
}
