// Counts how much the file holds at one moment, in pieces between which commits continue. If a commit
// changes a row that is not counted yet, triggers of this connection keep what the row was.

import type { StoredTotals } from '../../core/records/record-storage.js';
import { TOTAL_EVENTS } from '../audit-pages.js';
import type { Connection } from './connection.js';

/** A piece takes about 10 ms; a commit may have to wait that long. */
const PIECE_POSITIONS = 10_000;

const END = [
  ...['update', 'delete'].map((change) => `drop trigger if exists temp.keep_before_${change}`),
  ...['counting', 'kept', 'measured'].map((name) => `drop table if exists temp.${name}`),
];
/** `position`: rows up to it are counted; rows above `highest` were added after the snapshot. */
const BEGIN = [
  ...END,
  `create temp table counting as
     select 0 as position, (select coalesce(max(position), 0) from records) as highest,
            (select total from (${TOTAL_EVENTS})) as events`,
  'create temp table kept (position integer primary key, collection, bytes, created_at, updated_at)',
  'create temp table measured (collection, records, bytes, updated, first, second, third)',
  ...['update', 'delete'].map(
    (change) => `
      create temp trigger keep_before_${change} before ${change} on main.records
        when old.position > (select position from counting)
         and old.position <= (select highest from counting)
         and old.position not in (select position from kept)
      begin
        insert into kept values
          (old.position, old.collection, octet_length(old.body), old.created_at, old.updated_at);
      end`,
  ),
];
const FIND = "select 1 from temp.sqlite_master where name = 'counting'";
/** Columns for a collection. `?1`: three times, as a JSON array. */
const measures = (bytes: string) => `
  collection, count(*) as records, sum(${bytes}) as bytes, max(updated_at) as updated,
  sum(created_at > ?1 ->> 0) as first, sum(created_at > ?1 ->> 1) as second,
  sum(created_at > ?1 ->> 2) as third`;
/** `?2`: how many positions. */
const COUNT = `
  insert into measured
  select ${measures('octet_length(body)')}
    from counting cross join records not indexed
   where records.position > counting.position
     and records.position <= min(counting.position + ?2, highest)
     and records.position not in (select position from kept)
   group by collection`;
/** Selects the JSON of a `StoredUsage`. */
const TOTALS = `
  select json_object(
           'collection', collection, 'records', sum(records), 'payloadBytes', sum(bytes),
           'createdAfter', json_array(sum(first), sum(second), sum(third)),
           'lastUpdatedAt', max(updated)) as usage
    from (select * from measured
           union all select ${measures('bytes')} from kept group by collection)
   group by collection`;

/**
 * Counts a piece; the first one fixes the moment. Returns the totals with the last one. `times`: JSON
 * array of three, in milliseconds since 1970, UTC.
 */
export function countPiece(
  connection: Connection,
  times: string,
  isFirst: boolean,
  positions = PIECE_POSITIONS,
): StoredTotals | undefined {
  // The tables are the connection's: another one begins again.
  if (isFirst || connection.value(FIND) === undefined)
    for (const sql of BEGIN) connection.rows(sql);
  connection.rows(COUNT, [times, positions]);
  connection.rows('update counting set position = position + ?1', [positions]);
  const [counting] = connection.rows('select position < highest as isLeft, events from counting');
  if (counting?.['isLeft'] === 1) return undefined;
  const collections = connection
    .rows(TOTALS, [times])
    .map((row) => JSON.parse(String(row['usage'])));
  for (const sql of END) connection.rows(sql);
  return { collections, auditEventCount: Number(counting?.['events']) };
}
