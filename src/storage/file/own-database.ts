// "Is this file ours and whole?": a start, a check, a backup, a restore and a move ask it here.

import type { Connection } from './connection.js';
import { APPLICATION_ID, SCHEMA_VERSION } from './file-schema.js';
import { expectOwnSchema } from './schema-check.js';

/** The refusals begin with these words. What to do depends on who asks. */
export const NOT_OURS = 'it is no database of this program';
export const TOO_NEW = 'its schema has version';
export const DAMAGED = 'it is damaged (';

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
