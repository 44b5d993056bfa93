// The table that records are stored in, the same in every database.

/**
 * The body is the record as it is returned; the other columns only address it.
 * `position` is the order of creation. The index is a safety net: memory already
 * keeps ids unique, a defect there must not reach the file.
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
