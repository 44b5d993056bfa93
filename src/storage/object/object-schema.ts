// The tables of one account's database in a durable object, and every statement
// of the storage on them.

import { CREATE_RECORDS, CREATE_SEQUENCES } from '../records-table.js';
import { CREATE_VERSION, type SchemaSteps } from './schema-version.js';

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
/** A row of the platform has at most 2 MB; the difference is for the row's other columns. */
export const OBJECT_BODY_MAX_BYTES = 1_990_000;

export const FIRST_TABLE = 'records';

export const LOAD_ROWS = 'select position, collection, id, body from records order by position';

/** Sizes and times of rows. `?1`: positions, as a JSON array. */
export const MEASURE_ROWS = `
  select collection, octet_length(body) as bytes, created_at, updated_at
    from records where position in (select value from json_each(?1))`;

/** One statement for each row: one JSON parameter for all may not be larger than a row. */
export const PUT_ROW = `
  insert into records (position, collection, id, body, created_at, updated_at)
  values (?1, ?2, ?3, ?4, ?5, ?5)
  on conflict (position) do update set body = excluded.body, updated_at = excluded.updated_at`;

export const REMOVE_ROW = 'delete from records where position = ?1';

/** The next id follows the highest one. Events are never removed, so no id is given twice. */
export const APPEND_EVENT = `
  insert into audit_events (id, event, epoch)
  values ((select coalesce(max(id), 0) + 1 from audit_events), ?1, ?2)`;
