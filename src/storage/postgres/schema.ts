// The tables, and how they are made and brought to a newer version.

import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { sequenceOf } from '../../core/domain/identifier.js';
import type { PutRow } from '../../core/records/record-storage.js';
import { foldedColumn, statusColumn } from './columns.js';
import type { Database, Run } from './database.js';

/** Any number that no other program of the database is likely to lock. */
const SCHEMA_LOCK = 7_343_028_152;

/** Numbers of ids: "IDs are unique per resource per database". */
export const sequenceName = (collection: CollectionName) => `${collection}_numbers`;

/**
 * Texts are compared byte by byte, so that no upgrade of the system's locales makes an index wrong.
 * `position` orders a list: the number of the id, for rows that the service created. `folded` is
 * the text that is searched, null where Postgres' own `lower` gives the same. Totals follow each
 * write in its transaction; an account that owns no record has no row there.
 */
const FIRST_STEP = [
  `create table records (
     owner text collate "C" not null,
     collection text collate "C" not null,
     id text collate "C" not null,
     position bigint not null,
     version integer not null default 1,
     bytes integer not null,
     created_at bigint not null,
     updated_at bigint not null,
     status text collate "C",
     body text collate "C" not null,
     folded text collate "C",
     primary key (owner, collection, id)) with (fillfactor = 90)`,
  'create index records_in_order on records (owner, collection, position) include (status)',
  'create index records_created on records (collection, created_at)',
  `create table account_totals (
     owner text collate "C" not null,
     collection text collate "C" not null,
     records bigint not null,
     bytes bigint not null,
     updated_at bigint not null,
     primary key (owner, collection)) with (fillfactor = 50)`,
  'create table audit_events (id bigint generated always as identity primary key, event text not null)',
  ...COLLECTION_NAMES.map((name) => `create sequence ${sequenceName(name)}`),
  'create table service_schema (version integer not null)',
  'insert into service_schema values (1)',
];

const SCHEMA_STEPS = [FIRST_STEP] as const;

/** Makes the tables where there are none, one process at a time; `rows`: what a new database begins with. */
export function prepareSchema(
  database: Database,
  rows: readonly PutRow[],
  now: number,
): Promise<void> {
  return database.transaction(async (run) => {
    await run('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    const [found] = await run<{ there: boolean }>(
      "select to_regclass('service_schema') is not null as there",
    );
    const version = found?.there ? await versionIn(run) : 0;
    if (version > SCHEMA_STEPS.length) {
      throw new Error(
        `the database has tables of version ${version}; this release knows up to ${SCHEMA_STEPS.length}. Start the newer release`,
      );
    }
    for (const statement of SCHEMA_STEPS.slice(version).flat()) await run(statement);
    if (version < SCHEMA_STEPS.length)
      await run('update service_schema set version = $1', [SCHEMA_STEPS.length]);
    if (version === 0) await putRows(run, rows, now);
  });
}

async function versionIn(run: Run): Promise<number> {
  const [row] = await run<{ version: number }>('select version from service_schema');
  return row?.version ?? 0;
}

/** Rows that were made elsewhere, in order. */
async function putRows(run: Run, rows: readonly PutRow[], now: number): Promise<void> {
  for (const { owner = '', collection, id, body, status } of rows) {
    const number = sequenceOf(collection, id);
    await run(
      `insert into records (owner, collection, id, position, bytes, created_at, updated_at, status, body, folded)
       values ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9)`,
      [
        owner,
        collection,
        id,
        number,
        Buffer.byteLength(body),
        now,
        statusColumn(status),
        body,
        foldedColumn(body),
      ],
    );
    await run('select setval($1, $2)', [sequenceName(collection), number]);
  }
  await run(
    `insert into account_totals select owner, collection, count(*), sum(bytes), max(updated_at) from records group by 1, 2`,
  );
}
