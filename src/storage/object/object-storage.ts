// The part of a durable object's `ctx.storage` that the code over its database uses, and the schema
// of the service's database, and how much memory it may take. The platform does not support
// `PRAGMA user_version`, so a table holds the version.

import { CREATE_RECORDS, CREATE_SEQUENCES } from '../records-table.js';

type SqlValue = string | number | null | ArrayBuffer;
export type SqlRow = Record<string, SqlValue>;

export interface ObjectStorage {
  readonly sql: {
    exec<Row extends SqlRow>(query: string, ...bindings: (string | number)[]): Iterable<Row>;
  };
  transactionSync<T>(run: () => T): T;
  /** Until it ends, no other request runs, and only streams made by `run` flow. The platform allows 30 s. */
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

/**
 * The records' share, by `memoryOf`, of an object's 128 MB. Above that the platform would end it, for
 * every account and at each start again. Measured in workerd; `src/hosts/workers/README.md` has the figures.
 */
export const MEMORY_MAX_BYTES = 70_000_000;
/** Memory that a record takes in addition to its text: 94 bytes were measured. */
const RECORD_BYTES = 100;

/** Memory that a record takes: the engine keeps two bytes for each character if one is outside Latin-1. */
export function memoryOf(body: string): number {
  return RECORD_BYTES + (/[\u0100-\uffff]/.test(body) ? 2 : 1) * body.length;
}

export function tooLargeFor(maxBytes: number, bytes: number): Error {
  return new Error(
    `the records would take ${bytes} bytes of memory; one object has room for ${maxBytes}: delete records, or use Postgres (manage dump, manage load)`,
  );
}
