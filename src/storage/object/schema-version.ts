// The version of the schema in an object's database, and the steps to this release's.
// The platform does not support `PRAGMA user_version`, so a table holds the number.

import type { ObjectStorage } from './object-storage.js';

/** Each step has its statements. A step that was released is never changed: a change is one more step. */
export type SchemaSteps = readonly (readonly string[])[];

const FIND_TABLES = `
  select name from sqlite_schema where type = 'table' and name in (?1, 'schema_version')`;
const READ_VERSION = 'select version from schema_version';
const WRITE_VERSION = 'update schema_version set version = ?1';

/** Part of the first step that has a version to write, which is the second one. */
export const CREATE_VERSION = [
  'create table schema_version (version integer not null) strict',
  'insert into schema_version values (0)',
] as const;

/** How many steps the object has had; 0 where nothing was ever written to it. `firstTable`: one that the first step makes. */
export function schemaVersion({ sql }: ObjectStorage, firstTable: string): number {
  const tables = [...sql.exec<{ name: string }>(FIND_TABLES, firstTable)].map(({ name }) => name);
  if (tables.length === 0) return 0;
  if (!tables.includes('schema_version')) return 1;
  const [row] = sql.exec<{ version: number }>(READ_VERSION);
  return row?.version ?? 0;
}

/** Takes the steps that are missing; part of a transaction. Throws where the object is newer than this release. */
export function migrate({ sql }: ObjectStorage, steps: SchemaSteps, version: number): void {
  const known = steps.length;
  if (version > known) {
    throw new Error(
      `the object's schema has version ${version}, this release knows ${known}: deploy the newer release again`,
    );
  }
  if (version === known) return;
  for (const statement of steps.slice(version).flat()) sql.exec(statement);
  sql.exec(WRITE_VERSION, known);
}
