// The table of records, the same in every SQLite database.

/**
 * `body` is the record as it is returned; the other columns are for look-ups.
 * `position` is the order of creation. Ids are already unique in memory; the index
 * rejects a defect there.
 */
export const CREATE_RECORDS = [
  `create table records (
     position integer primary key,
     collection text not null,
     id text not null,
     body text not null,
     created_at integer not null,
     updated_at integer not null
   ) strict`,
  'create unique index records_by_id on records (collection, id)',
] as const;

/** The highest number ever used in an id of each collection: "IDs are unique per resource per database". */
export const CREATE_SEQUENCES =
  'create table if not exists sequences (collection text primary key, highest integer not null) strict';

/** `?1`: highest numbers by collection, as a JSON object. */
export const PUT_SEQUENCES = `
  insert into sequences (collection, highest) select key, value from json_each(?1) where true
  on conflict (collection) do update set highest = max(highest, excluded.highest)`;

export const LOAD_SEQUENCES =
  'select json_group_object(collection, highest) as sequences from sequences';
