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
  /** No other request runs meanwhile, and only streams made by `run` flow. The platform allows 30 s. */
  transaction<T>(run: () => Promise<T>): Promise<T>;
}

export function rowsOf<Row extends SqlRow>(
  { sql }: ObjectStorage,
  statement: string,
  ...bindings: (string | number)[]
): Row[] {
  return [...sql.exec<Row>(statement, ...bindings)];
}

const SCHEMA_VERSION = 1;
const CREATE_ALL = [
  ...CREATE_RECORDS,
  CREATE_SEQUENCES,
  'create table audit_events (id integer primary key, event text not null) strict',
  'create table schema_version (version integer not null) strict',
  `insert into schema_version values (${SCHEMA_VERSION})`,
];
const FIND_VERSION = "select 1 from sqlite_schema where name = 'schema_version'";

/** Makes the tables. True if the database was empty. Throws if a later release wrote it. */
export function prepareSchema(storage: ObjectStorage): boolean {
  if (rowsOf(storage, FIND_VERSION).length === 0) {
    for (const statement of CREATE_ALL) rowsOf(storage, statement);
    return true;
  }
  const [row] = rowsOf<{ version: number }>(storage, 'select version from schema_version');
  if (row?.version === SCHEMA_VERSION) return false;
  throw new Error(
    `the object's schema has version ${row?.version}, this release knows ${SCHEMA_VERSION}: deploy the newer release again`,
  );
}
