// The part of a durable object's `ctx.storage` that the code over its database uses, and the schema
// of an account's database. The platform does not support `PRAGMA user_version`, so a table holds
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

/** The statements of each step. A released step never changes: a change is one more step. */
export type SchemaSteps = readonly (readonly string[])[];

/** Part of the first step that has a version to write, which is the second one. */
export const CREATE_VERSION = [
  'create table schema_version (version integer not null) strict',
  'insert into schema_version values (0)',
] as const;

/** The first step comes with the first write, so an account that never wrote has no database. */
export const SCHEMA_STEPS: SchemaSteps = [
  [
    ...CREATE_RECORDS,
    'create table audit_events (id integer primary key, event text not null) strict',
    // What the directory must still learn of this account.
    `create table outbox (
       owner text not null,
       revision integer not null,
       delivered_revision integer not null,
       delivered_event integer not null
     ) strict`,
  ],
  [
    ...CREATE_VERSION,
    CREATE_SEQUENCES,
    'alter table outbox add column failed_alarms integer not null default 0',
    // The life of the object in which the event was written.
    "alter table audit_events add column epoch text not null default ''",
  ],
];

/** How many steps the object has had; 0 if nothing was ever written to it. `firstTable`: one that the first step creates. */
export function schemaVersion({ sql }: ObjectStorage, firstTable: string): number {
  const find = 'select count(*) as found from sqlite_schema where name = ?1';
  const has = (table: string) => [...sql.exec<{ found: number }>(find, table)][0]?.found === 1;
  if (!has('schema_version')) return has(firstTable) ? 1 : 0;
  return [...sql.exec<{ version: number }>('select version from schema_version')][0]?.version ?? 0;
}

/** Takes the steps that are missing; part of a transaction. Throws if the object is newer than this release. */
export function migrate({ sql }: ObjectStorage, steps: SchemaSteps, version: number): void {
  const known = steps.length;
  if (version > known) {
    throw new Error(
      `the object's schema has version ${version}, this release knows ${known}: deploy the newer release again`,
    );
  }
  if (version === known) return;
  for (const statement of steps.slice(version).flat()) sql.exec(statement);
  sql.exec('update schema_version set version = ?1', known);
}
