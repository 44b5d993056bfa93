// The tables of the database file, and every statement on them.

import { CREATE_RECORDS, CREATE_SEQUENCES } from '../records-table.js';

/** "SvcM", the application id in the file's header, which marks a SQLite file as this program's. */
export const APPLICATION_ID = 0x5376634d;

/** The schema of 0.1.0. Builds before it had versions 1 and 2. */
export const SCHEMA_VERSION = 3;

/**
 * Creates the schema in an empty file, in one transaction. A released version never changes, because files
 * are compared with it, including the text of `alter table`, which SQLite stores.
 */
export const SCHEMA: readonly string[] = [
  ...CREATE_RECORDS,
  'create table audit_events (id integer primary key autoincrement, event text not null) strict',
  CREATE_SEQUENCES,
  // `stored-rows.ts` writes texts, and a number for a status that isn't text.
  'alter table records add column owner text',
  'alter table records add column status any',
  `pragma application_id = ${APPLICATION_ID}`,
  `pragma user_version = ${SCHEMA_VERSION}`,
];

/** A commit that changes no content, but writes the first page again. */
export const TOUCH = `pragma user_version = ${SCHEMA_VERSION}`;

/** `?1`: all rows as JSON, which is two to four times faster than a statement for each row. `?2`: the time. */
export const PUT_ROWS = `
  insert into records (position, collection, id, body, owner, status, created_at, updated_at)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, ?2, ?2
    from json_each(?1) where true
  on conflict (position) do update
    set body = excluded.body, owner = excluded.owner, status = excluded.status,
        updated_at = excluded.updated_at`;

export const REMOVE_ROWS =
  'delete from records where position in (select value from json_each(?1))';

export const APPEND_EVENTS = 'insert into audit_events (event) select value from json_each(?1)';

/** The size of the next `?2` rows after the position `?1`. Reads no body. */
export const MEASURE_PAGE = `
  select max(position) as last, total(bytes) as bytes
    from (select position, octet_length(body) as bytes
            from records not indexed where position > ?1 order by position limit ?2)`;

/**
 * A page as the storage thread sends it to the main thread: the bodies in UTF-8, JSON arrays with an entry for
 * each row, and the position of the last one. `nonStandardIds`: a JSON object with the id of each row whose
 * body does not start with its id and owner, by position.
 */
export type StoredPage = Readonly<
  Record<'positions' | 'collections' | 'owners' | 'statuses' | 'nonStandardIds', string> & {
    bodies: ArrayBuffer;
    last: number;
  }
>;

/**
 * See `StoredPage`. Checking here how a body starts takes a quarter of the time that it would take later.
 * `not indexed` gives the order of positions; `order by` in the aggregates would double the time.
 */
export const LOAD_PAGE = `
  select cast(group_concat(body, char(30)) as blob) as bodies,
         json_group_array(position) as positions,
         json_group_array(collection) as collections,
         json_group_array(owner) as owners,
         json_group_array(status) as statuses,
         json_group_object(position, id) filter (where
           instr(body, '{"id":' || json_quote(id) || ',"owner_sub":' || json_quote(owner)) is not 1
         ) as nonStandardIds
    from records not indexed where position > ?1 and position <= ?2`;

export type DatabaseContents = Readonly<Record<'recordCount' | 'auditEventCount', number>>;

export const COUNT_ROWS = `
  select (select count(*) from records) as recordCount,
         (select count(*) from audit_events) as auditEventCount`;
