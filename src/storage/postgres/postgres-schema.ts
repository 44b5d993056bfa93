// The tables of a fleet's database, and how they are made and brought to a newer version.

import type { Connection, PostgresPool } from './postgres-pool.js';
import { SHARD_COUNT } from './shards.js';

/** Any number that no other program of the database is likely to lock. */
const SCHEMA_LOCK = 7_343_028_151;

/**
 * `records` has the file's columns (see `records-table.ts`), and the shard of the owner; `bytes`
 * is the length of the body in UTF-8. An account's totals follow each commit, so that no view of
 * the operator counts the records. `beats` grows while its process lives.
 */
const FIRST_STEP = [
  `create table records (
     shard integer not null,
     position bigint not null,
     collection text not null,
     id text not null,
     owner text,
     body text not null,
     bytes integer not null,
     created_at bigint not null,
     updated_at bigint not null,
     primary key (shard, position))`,
  'create unique index records_by_id on records (collection, id)',
  'create index records_created on records (collection, created_at)',
  'create index records_updated on records (collection, updated_at)',
  "create index records_profiles on records (owner) where collection = 'businesses'",
  `create table sequences (
     shard integer not null,
     collection text not null,
     highest bigint not null,
     primary key (shard, collection))`,
  `create table account_totals (
     owner text not null,
     collection text not null,
     records bigint not null,
     bytes bigint not null,
     primary key (owner, collection))`,
  'create table audit_events (id bigint generated always as identity primary key, event text not null)',
  `create table processes (
     id text primary key,
     url text not null,
     release text not null,
     is_leaving boolean not null default false,
     beats bigint not null default 0)`,
  `create table shards (
     shard integer primary key,
     holder text,
     epoch bigint not null default 0,
     commits bigint not null default 0)`,
  `insert into shards (shard) select generate_series(0, ${SHARD_COUNT - 1})`,
  // The id of this database: a process of another one is refused by it.
  'create table service_schema (version integer not null, database_id text not null)',
  'insert into service_schema values (1, gen_random_uuid()::text)',
];

/** By which an event of a moved file is taken once. Only such an event has a name. */
const NAMED_EVENTS = [
  'alter table audit_events add column name text',
  'create unique index audit_events_by_name on audit_events (name) where name is not null',
];

/** What each version of the tables adds. Processes of the version before go on beside it. */
const SCHEMA_STEPS = [FIRST_STEP, NAMED_EVENTS] as const;
export const SCHEMA_VERSION = SCHEMA_STEPS.length;

export interface FleetDatabase {
  /** Of this database, made with its tables. */
  readonly id: string;
  /** Whether the tables were made now. */
  readonly isNew: boolean;
}

/**
 * Makes the tables where there are none, and brings older ones to the present version, one process
 * at a time. `firstUse` is part of the same transaction: it writes what a new database begins
 * with. Rejects, with a sentence, where a newer release has changed the tables.
 */
export function prepareSchema(
  pool: PostgresPool,
  firstUse: (connection: Connection) => Promise<void>,
): Promise<FleetDatabase> {
  return pool.transaction(async (connection) => {
    await connection.run('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    const isNew = !(await isThere(connection));
    const version = isNew ? 0 : (await schemaOf(connection)).version;
    if (version > SCHEMA_VERSION) {
      throw new Error(
        `the database has tables of version ${version}; this release knows up to ${SCHEMA_VERSION}. Start the newer release`,
      );
    }
    if (version < SCHEMA_VERSION) {
      for (const statement of SCHEMA_STEPS.slice(version).flat()) await connection.run(statement);
      await connection.run('update service_schema set version = $1', [SCHEMA_VERSION]);
    }
    if (isNew) await firstUse(connection);
    return { id: (await schemaOf(connection)).database_id, isNew };
  });
}

async function schemaOf(connection: Connection) {
  type Row = { version: number; database_id: string };
  const { rows } = await connection.run<Row>('select version, database_id from service_schema');
  return rows[0] ?? { version: 0, database_id: '' };
}

/** Rejects where tables of these names are another program's. */
async function isThere(connection: Connection): Promise<boolean> {
  type Row = { is_there: boolean; others: string | null };
  const { rows } = await connection.run<Row>(FIND_SCHEMA);
  const { is_there: isThere = false, others = null } = rows[0] ?? {};
  if (!isThere && others !== null) {
    throw new Error(
      `the database has tables of another program (${others}); name a database of the service's own in DATABASE_URL`,
    );
  }
  return isThere;
}

/** Whether the tables of this service are there, and names that are taken by others. */
const FIND_SCHEMA = `
  select to_regclass('service_schema') is not null as is_there,
    (select string_agg(name, ', ') from unnest(array['records', 'sequences', 'account_totals',
       'audit_events', 'processes', 'shards']) name where to_regclass(name) is not null) as others`;
