// The table of records, the same in every database.

/**
 * `body` is the record as it is returned; the other columns only find it.
 * `position` is the order of creation. Memory already keeps ids unique; the index
 * keeps a defect there out of the file.
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
