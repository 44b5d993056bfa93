// The statements on an account's records. `$1`: the owner, `$2`: the collection, `$3`: the id.

import { hash } from 'node:crypto';
import type { AccountLimits } from '../../core/records/account-limits.js';

export type Statement = Readonly<ReturnType<ReturnType<typeof defineStatement>>>;

/**
 * A tag for a statement's text. `batchMax`: 0 if it is never batched; above 0 its parameters are columns,
 * and a result row's `n` is the index of its caller in the batch, from 1. `isSlow`: it uses the connections
 * for searches, payments and views. `isWrite`: before a retry, the lost attempt must be terminated, or it
 * could undo later changes.
 */
export const defineStatement =
  (kind: string, { batchMax = 0, isSlow = false, isWrite = false } = {}) =>
  (parts: TemplateStringsArray, ...values: (string | number)[]) => {
    const text = String.raw({ raw: parts }, ...values);
    // The prepared statement's name. It depends on the text, which differs between releases.
    const name = `${kind}_${hash('sha256', text, 'hex').slice(0, 12)}`;
    return { name, text, batchMax, isSlow, isWrite };
  };

const BATCH_MAX = 100;
const defineBatched = (kind: string) => defineStatement(kind, { batchMax: BATCH_MAX });

/** `$1`: the sequence. */
export const NEXT_NUMBER = defineBatched('number')`
  select n, nextval(name::regclass) as number from unnest($1::text[]) with ordinality as g (name, n)`;

export const FIND = defineBatched('find')`
  select k.n, r.body, r.version
    from unnest($1::text[] collate "C", $2::text[] collate "C", $3::text[] collate "C")
      with ordinality as k (owner, collection, id, n)
    join records r using (owner, collection, id)`;

/** Longer bodies are fetched one at a time as the client reads, because a page can have 200 of 2 MiB. */
const LONG_BYTES = 65_536;
/** The page's bodies; a long one is replaced by its id between characters that JSON can't contain. */
const PAGE = `string_agg(case when bytes > ${LONG_BYTES} then E'\\x1e' || id || E'\\x1e' else body end, ',' order by position desc) as body`;

/** `$3`: limit. `$4`: offset. */
export const LIST = defineBatched('list')`
  select k.n, coalesce(t.records, 0) as records,
    (select ${PAGE} from (
       select position, id, bytes, body from records
        where owner = k.owner and collection = k.collection
        order by position desc limit k.size offset k.first) r)
    from unnest($1::text[] collate "C", $2::text[] collate "C", $3::integer[], $4::bigint[])
      with ordinality as k (owner, collection, size, first, n)
    left join account_totals t using (owner, collection)`;

const pageOf = (found: string) => `
  with found as materialized (${found})
  select (select count(*) from found) as records, ${PAGE}
    from (select position from found order by position desc limit $3 offset $4) p
    join lateral (select id, bytes, body from records
      where owner = $1 and collection = $2 and position = p.position) r on true`;

/** `$5`: the status as stored, or null. */
const matching = (condition: string) => `
    select position from records where owner = $1 and collection = $2
      and ($5::text is null or status is null or status = $5) and ${condition}`;

/** An index-only scan, except for the page's bodies. */
export const LIST_OF_STATUS = defineStatement('list_of_status')`${pageOf(matching('true'))}`;

/**
 * `$6`: the folded needle, `$7`: the needle as a pattern. Only a pattern can
 * use the operator's trigram index, and without that index it costs five times as much as `strpos`.
 */
const SEARCHED = `
    ${matching("to_regclass('records_search') is null and strpos(coalesce(folded, lower(body)), $6) > 0")}
    union all
    ${matching("to_regclass('records_search') is not null and coalesce(folded, lower(body)) like $7")}`;
export const SEARCH = defineStatement('search', { isSlow: true })`${pageOf(SEARCHED)}`;

/** The next rows before the position `$3`, newest first, limited in number and bytes. */
export const NEXT_ROWS = defineStatement('next_rows', { isSlow: true })`
  select position, body,
    (select records from account_totals where owner = $1 and collection = $2) as records
    from (select position, body, sum(bytes) over (order by position desc) - bytes as before
      from (select position, body, bytes from records
        where owner = $1 and collection = $2 and position < $3
        order by position desc limit 1000) newest) summed
   where before < 2000000 order by position desc`;

/** The values of creates or updates as rows. `target`: the new position, or the version to replace. */
const ROWS = `
  select * from unnest($1::text[] collate "C", $2::text[] collate "C", $3::text[] collate "C",
      $4::bigint[], $5::bigint[], $6::integer[], $7::bigint[], $8::text[] collate "C",
      string_to_array($9, E'\\x1e'), string_to_array($10, E'\\x1e', ''), $11::text[])
    with ordinality as g (owner, collection, id, target, byte_delta, bytes, at, status, body, folded, event, n)`;

/**
 * `account_totals.updated_at` after an update at this time. A DELETE of the newest record negates it: it is
 * then an upper bound, and the usage view reads the records. A later write makes it exact again.
 */
const latest = (at: string) =>
  `case when ${at} < abs(t.updated_at) then t.updated_at else ${at} end`;

/**
 * The writes, for these quotas. An update returns no row if another change came first. With quotas, `n` is
 * null if nothing was stored, and the row has the account's totals.
 */
export function writesWithin({ maxRecords, maxBytes }: AccountLimits) {
  const isLimited = maxRecords > 0 || maxBytes > 0;
  const rowsWithin = (adds: 0 | 1) => {
    if (!isLimited) return `given as (${ROWS})`;
    // Under a lock, because other processes may be adding to other collections.
    return `all_given as (${ROWS}), size as materialized (
        select locked.* from unnest($1::text[]) as o (owner), locked_size(o.owner) locked
      ), given as (select g.* from all_given g, size
        where (${maxBytes} = 0 or g.byte_delta <= 0 or size.bytes + g.byte_delta <= ${maxBytes})
          and (${maxRecords} = 0 or ${adds} = 0 or size.records + ${adds} <= ${maxRecords}))`;
  };
  const result = (from: string) =>
    isLimited
      ? `select (select n from ${from}), size.records, size.bytes from size`
      : `select n from ${from}`;
  const options = { batchMax: isLimited ? 1 : BATCH_MAX, isWrite: true };
  const create = defineStatement('create', options)`
    with ${rowsWithin(1)}, counted as (
      insert into account_totals as t (owner, collection, records, bytes, updated_at)
      select owner, collection, count(*), sum(bytes), max(at) from given group by 1, 2 order by 1, 2
      on conflict (owner, collection) do update set records = t.records + excluded.records,
        bytes = t.bytes + excluded.bytes, updated_at = ${latest('excluded.updated_at')}
    ), logged as (
      insert into audit_events (event) select event from given where event is not null
    ), stored as (
      insert into records (owner, collection, id, position, bytes, created_at, updated_at, status, body, folded)
      select owner, collection, id, target, bytes, at, at, status, body, folded from given
    ) ${result('given')}`;
  const update = defineStatement('update', options)`
    with ${rowsWithin(0)}, changed as (
      update records r set version = r.version + 1, bytes = g.bytes, updated_at = greatest(r.updated_at, g.at),
          status = g.status, body = g.body, folded = g.folded
        from given g where r.owner = g.owner and r.collection = g.collection
         and r.id = g.id and r.version = g.target
      returning g.n, g.owner, g.collection, g.byte_delta, r.updated_at as at, g.event
    ), counted as (
      update account_totals t set bytes = t.bytes + c.byte_delta, updated_at = ${latest('c.at')}
        from (select owner, collection, sum(byte_delta) as byte_delta, max(at) as at
                from changed group by 1, 2 order by 1, 2) c
       where t.owner = c.owner and t.collection = c.collection
    ), logged as (
      insert into audit_events (event) select event from changed where event is not null
    ) ${result('changed')}`;
  return { create, update, delete: DELETE };
}

/** `$4`: the event, or null. Returns no row if there is no such record. */
const DELETE = defineStatement('delete', { isWrite: true })`
  with deleted as (
    delete from records where owner = $1 and collection = $2 and id = $3
    returning bytes, updated_at
  ), counted as (
    update account_totals t set records = t.records - 1, bytes = t.bytes - deleted.bytes,
      updated_at = case when deleted.updated_at < t.updated_at then t.updated_at
        else -abs(t.updated_at) end
      from deleted where t.owner = $1 and t.collection = $2
    returning t.records
  ), logged as (
    insert into audit_events (event) select $4 from deleted where $4::text is not null
  )
  select counted.records from deleted left join counted on true`;

/** Without it, the name of an erased account would remain in the totals. Harmless at any later time. */
export const DELETE_EMPTY_TOTALS = defineStatement('delete_empty_totals')`
  delete from account_totals where owner = $1 and collection = $2 and records = 0`;

/** A commit without changes, which waits for synchronous standbys like any other. */
export const TOUCH = defineStatement('touch')`select pg_logical_emit_message(true, 'service', '')`;

/** Writes a megabyte, rolls it back and commits, because a small commit may succeed on a full disk. */
export const PROBE_DISK_SPACE = defineStatement('probe_disk_space')`
  do $$ begin
     insert into audit_events (event)
       select string_agg(md5(random()::text), '') from generate_series(1, 32768);
     raise sqlstate 'P0999';
   exception when sqlstate 'P0999' then null;
   end $$`;

export const PING = defineStatement('ping')`show transaction_read_only`;
