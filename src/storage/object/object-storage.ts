// The used part of a durable object's `ctx.storage`, the schema of the service's database, and the memory
// limit. The platform does not support `PRAGMA user_version`, so a table holds the schema's version.

import { CREATE_RECORDS, CREATE_SEQUENCES } from '../records-table.js';

type SqlValue = string | number | null | ArrayBuffer;
export type SqlRow = Record<string, SqlValue>;

export interface ObjectStorage {
  readonly sql: {
    exec<Row extends SqlRow>(query: string, ...bindings: (string | number)[]): Iterable<Row>;
  };
  transactionSync<T>(run: () => T): T;
  /** Until it ends, no other request runs, and only streams that `run` creates flow. The platform allows 30 s. */
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

/** Creates the tables, and returns true, if the database is empty. Throws if a later release wrote it. */
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
 * The limit of all records by `memoryOf`. Beyond an object's 128 MB, the platform would end it for every
 * account, and again at each start. Measured in workerd; `src/hosts/workers/README.md` has the figures.
 */
export const MEMORY_MAX_BYTES = 70_000_000;
/** Memory of a record besides its text; 94 bytes were measured. */
const RECORD_OVERHEAD_BYTES = 100;

/** A record's memory in bytes. The engine uses two bytes per character if one is outside Latin-1. */
export function memoryOf(body: string): number {
  return RECORD_OVERHEAD_BYTES + (/[\u0100-\uffff]/.test(body) ? 2 : 1) * body.length;
}

export function tooLargeFor(maxBytes: number, bytes: number): Error {
  return new Error(
    `the records would take ${bytes} bytes of memory; one object has room for ${maxBytes}: delete records, or use Postgres (manage dump, manage load)`,
  );
}
