// Measures the file's contents at one moment, in steps between which commits continue. If a commit changes
// a row that is not counted yet, temporary triggers save the row's earlier version.

import type { StoredTotals } from '../../core/records/record-storage.js';
import { TOTAL_EVENTS } from '../audit-pages.js';
import type { Connection } from './connection.js';

/** A step takes about 10 ms; a commit may have to wait that long. */
const STEP_POSITIONS = 10_000;

const DROP_TABLES = [
  ...['update', 'delete'].map((change) => `drop trigger if exists temp.save_before_${change}`),
  ...['scan', 'saved', 'measured'].map((name) => `drop table if exists temp.${name}`),
];
/** `position`: rows up to it are counted; rows above `highest` were added after the snapshot. */
const CREATE_TABLES = [
  ...DROP_TABLES,
  `create temp table scan as
     select 0 as position, (select coalesce(max(position), 0) from records) as highest,
            (select total from (${TOTAL_EVENTS})) as events`,
  'create temp table saved (position integer primary key, collection, bytes, created_at, updated_at)',
  'create temp table measured (collection, records, bytes, updated, first, second, third)',
  ...['update', 'delete'].map(
    (change) => `
      create temp trigger save_before_${change} before ${change} on main.records
        when old.position > (select position from scan)
         and old.position <= (select highest from scan)
         and old.position not in (select position from saved)
      begin
        insert into saved values
          (old.position, old.collection, octet_length(old.body), old.created_at, old.updated_at);
      end`,
  ),
];
const FIND_TABLES = "select 1 from temp.sqlite_master where name = 'scan'";
/** The columns of a collection. `?1`: three times, as a JSON array. */
const measures = (bytes: string) => `
  collection, count(*) as records, sum(${bytes}) as bytes, max(updated_at) as updated,
  sum(created_at > ?1 ->> 0) as first, sum(created_at > ?1 ->> 1) as second,
  sum(created_at > ?1 ->> 2) as third`;
/** `?2`: how many positions. */
const COUNT = `
  insert into measured
  select ${measures('octet_length(body)')}
    from scan cross join records not indexed
   where records.position > scan.position
     and records.position <= min(scan.position + ?2, highest)
     and records.position not in (select position from saved)
   group by collection`;
/** Selects the JSON of a `StoredUsage`. */
const TOTALS = `
  select json_object(
           'collection', collection, 'records', sum(records), 'payloadBytes', sum(bytes),
           'createdAfter', json_array(sum(first), sum(second), sum(third)),
           'lastUpdatedAt', max(updated)) as usage
    from (select * from measured
           union all select ${measures('bytes')} from saved group by collection)
   group by collection`;

/**
 * One step of the scan. The first one fixes the moment, and the last one returns the totals. `times`: JSON
 * array of three, in milliseconds since 1970, UTC.
 */
export function scanUsage(
  connection: Connection,
  times: string,
  isFirst: boolean,
  positions = STEP_POSITIONS,
): StoredTotals | undefined {
  // Temporary tables belong to a connection, so the scan starts again after a reconnect.
  if (isFirst || connection.value(FIND_TABLES) === undefined)
    for (const sql of CREATE_TABLES) connection.rows(sql);
  connection.rows(COUNT, [times, positions]);
  connection.rows('update scan set position = position + ?1', [positions]);
  const [scan] = connection.rows('select position < highest as isLeft, events from scan');
  if (scan?.['isLeft'] === 1) return undefined;
  const collections = connection
    .rows(TOTALS, [times])
    .map((row) => JSON.parse(String(row['usage'])));
  for (const sql of DROP_TABLES) connection.rows(sql);
  return { collections, auditEventCount: Number(scan?.['events']) };
}
