// New ids where accounts with databases of their own come together in one, where an id
// is given once for each collection.
// The record that was created first keeps its id; the others get numbers that no record
// ever had.

import { type CollectionName, isCollectionName } from '../../core/domain/collection-name.js';
import { formatId, sequenceOf } from '../../core/domain/identifier.js';
import type { Sequences } from '../../core/records/record-storage.js';
import type { Connection, SqlRow } from '../file/connection.js';

export const CREATE_NEW_IDS =
  'create table if not exists new_ids (row integer primary key, id text not null)';

const PAGE_ROWS = 10_000;

const FIND_TAKEN = [
  'delete from new_ids',
  'drop table if exists taken',
  // In the order of creation, so that younger records get higher numbers.
  `create table taken as
   select number, collection from (
     select number, collection, created_at, account,
            row_number() over (
              partition by collection, id order by created_at, account, number
            ) as place
       from rows
   ) where place > 1 order by created_at, account, number`,
];
const TAKEN_AFTER = `
  select rowid, number, collection from taken where rowid > ?1 order by rowid limit ?2`;
const PUT_NEW_IDS = 'insert into new_ids select value ->> 0, value ->> 1 from json_each(?1)';
const IDS_AFTER =
  'select number, collection, id from rows where number > ?1 order by number limit ?2';
const RENUMBERED_AFTER = `
  select rows.number, owner, collection, rows.id, new_ids.id as new_id
    from new_ids join rows on rows.number = new_ids.row
    join accounts on accounts.number = rows.account
   where rows.number > ?1 order by rows.number limit ?2`;

export interface Renumbered {
  readonly owner: string;
  readonly collection: CollectionName;
  readonly oldId: string;
  readonly newId: string;
}

/** Gives the new ids, from the start. Returns the highest numbers that any id was ever given, the new ones included. */
export function renumber(connection: Connection): Sequences {
  const highest = highestNumbers(connection);
  connection.batch(FIND_TAKEN.map((sql) => ({ sql })));
  for (const rows of pagesOf(connection, TAKEN_AFTER, 'rowid')) {
    const ids = rows.map((row) => {
      const collection = String(row['collection']) as CollectionName;
      const next = (highest[collection] ?? 0) + 1;
      highest[collection] = next;
      return [Number(row['number']), formatId(collection, next)];
    });
    connection.batch([{ sql: PUT_NEW_IDS, args: [JSON.stringify(ids)] }]);
  }
  return highest;
}

export function* renumbered(connection: Connection): Generator<Renumbered> {
  for (const rows of pagesOf(connection, RENUMBERED_AFTER, 'number')) {
    for (const row of rows) {
      yield {
        owner: String(row['owner']),
        collection: String(row['collection']) as CollectionName,
        oldId: String(row['id']),
        newId: String(row['new_id']),
      };
    }
  }
}

/** Of what the accounts say, and of the ids that are here. */
function highestNumbers(connection: Connection): Partial<Record<CollectionName, number>> {
  const highest: Partial<Record<CollectionName, number>> = {};
  const raise = (collection: string, number: number) => {
    if (isCollectionName(collection) && number > (highest[collection] ?? 0)) {
      highest[collection] = number;
    }
  };
  for (const account of connection.rows('select announced from accounts')) {
    const { sequences } = JSON.parse(String(account['announced']));
    for (const [collection, number] of Object.entries(sequences)) raise(collection, Number(number));
  }
  for (const rows of pagesOf(connection, IDS_AFTER, 'number')) {
    for (const row of rows) {
      const collection = String(row['collection']) as CollectionName;
      raise(collection, sequenceOf(collection, String(row['id'])));
    }
  }
  return highest;
}

/** The statement's rows in pages. `?1`: the last page's last `key`; `?2`: how many rows. */
function* pagesOf(connection: Connection, sql: string, key: string): Generator<SqlRow[]> {
  let last = 0;
  for (;;) {
    const rows = connection.rows(sql, [last, PAGE_ROWS]);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_ROWS) return;
    last = Number(rows.at(-1)?.[key]);
  }
}
