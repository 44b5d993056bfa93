// The part of a durable object's `ctx.storage` that the code over its database uses, and the schema
// of the service's database. The platform does not support `PRAGMA user_version`, so a table holds
// the version.

import { CREATE_RECORDS, CREATE_SEQUENCES } from '../records-table.js';

type SqlValue = string | number | null | ArrayBuffer;
export type SqlRow = Record<string, SqlValue>;

export interface ObjectStorage {
  readonly sql: {
    exec<Row extends SqlRow>(query: string, ...bindings: (string | number)[]): Iterable<Row>;
  };
  transactionSync<T>(run: () => T): T;
}

export const CREATE_AUDIT_EVENTS =
  'create table audit_events (id integer primary key, event text not null) strict';

/** The statements of each step. A released step never changes: a change is one more step. */
const SCHEMA_STEPS: readonly (readonly string[])[] = [
  [
    ...CREATE_RECORDS,
    CREATE_SEQUENCES,
    CREATE_AUDIT_EVENTS,
    'create table schema_version (version integer not null) strict',
    'insert into schema_version values (0)',
  ],
];

const HAS_TABLES = "select count(*) as found from sqlite_schema where name = 'schema_version'";

/** Takes the steps that are missing. True if the database was empty. Throws if a later release wrote it. */
export function migrate(storage: ObjectStorage): boolean {
  const { sql } = storage;
  const known = SCHEMA_STEPS.length;
  const has = [...sql.exec<{ found: number }>(HAS_TABLES)][0]?.found === 1;
  const version = has
    ? ([...sql.exec<{ version: number }>('select version from schema_version')][0]?.version ?? 0)
    : 0;
  if (version > known) {
    throw new Error(
      `the object's schema has version ${version}, this release knows ${known}: deploy the newer release again`,
    );
  }
  if (version < known) {
    storage.transactionSync(() => {
      for (const statement of SCHEMA_STEPS.slice(version).flat()) sql.exec(statement);
      sql.exec('update schema_version set version = ?1', known);
    });
  }
  return version === 0;
}
