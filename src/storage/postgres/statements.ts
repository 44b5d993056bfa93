// The statements on one account's records. `$1`: the owner. `$2`: the collection.

import type { Statement } from './statement.js';

export const FIND: Statement = {
  name: 'find',
  text: 'select body, version, bytes from records where owner = $1 and collection = $2 and id = $3',
  together: `
    select k.n, r.body, r.version, r.bytes from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k (owner, collection, id, n)
      join records r on r.owner = k.owner collate "C" and r.collection = k.collection collate "C" and r.id = k.id collate "C"`,
};

/** `$3`: how many rows. `$4`: rows to pass over. */
export const LIST: Statement = {
  name: 'list',
  text: `
  select coalesce((select records from account_totals where owner = $1 and collection = $2), 0) as records,
    (select string_agg(body, ',' order by position desc) from (
       select position, body from records where owner = $1 and collection = $2
        order by position desc limit $3 offset $4) r) as body`,
  together: `
  select k.n, coalesce(t.records, 0) as records,
    (select string_agg(body, ',' order by position desc) from (
       select position, body from records
        where owner = k.owner collate "C" and collection = k.collection collate "C"
        order by position desc limit k.size offset k.first) r) as body
    from unnest($1::text[], $2::text[], $3::integer[], $4::bigint[])
      with ordinality as k (owner, collection, size, first, n)
    left join account_totals t
      on t.owner = k.owner collate "C" and t.collection = k.collection collate "C"`,
};

const FOUND_PAGE = `
  select (select count(*) from found) as records, r.body
    from (select 1) one left join lateral (
      select p.position, s.body from (select position from found order by position desc limit $3 offset $4) p
        join records s on s.owner = $1 and s.collection = $2 and s.position = p.position) r on true
   order by r.position desc`;

/** `$5`: the status as the column has it. The index alone answers it, except for the page's rows. */
export const LIST_OF_STATUS: Statement = {
  name: 'list_of_status',
  text: `
  with found as materialized (
    select position from records
     where owner = $1 and collection = $2 and (status is null or status = $5))
  ${FOUND_PAGE}`,
};

/** `$5`: the same, or null. `$6`: the folded needle. */
export const SEARCH: Statement = {
  name: 'search',
  text: `
  with found as materialized (
    select position from records
     where owner = $1 and collection = $2 and ($5::text is null or status is null or status = $5)
       and strpos(coalesce(folded, lower(body)), $6) > 0)
  ${FOUND_PAGE}`,
};

/** `$3`: the sequence. `$4`: how many numbers. */
export const NUMBERS: Statement = {
  name: 'numbers',
  text: 'select nextval($1::regclass) as number from generate_series(1, $2::integer)',
};

/** `$3` id, `$4` position, `$5` bytes, `$6` time, `$7` status, `$8` body, `$9` folded, `$10` event or null, `$11` records and `$12` bytes at most, 0: any number. No row: the account has too much. */
export const CREATE: Statement = {
  name: 'create',
  text: `
  with others as (
    select coalesce(sum(records), 0) as records, coalesce(sum(bytes), 0) as bytes
      from account_totals where owner = $1 and collection <> $2 and ($11::bigint > 0 or $12::bigint > 0)
  ), counted as (
    insert into account_totals as t (owner, collection, records, bytes, updated_at)
    select $1, $2, 1, $5::integer, $6::bigint from others
     where ($11 = 0 or others.records + 1 <= $11) and ($12 = 0 or others.bytes + $5 <= $12)
    on conflict (owner, collection) do update
      set records = t.records + 1, bytes = t.bytes + excluded.bytes, updated_at = greatest(t.updated_at, excluded.updated_at)
      where ($11 = 0 or (select records from others) + t.records + 1 <= $11)
        and ($12 = 0 or (select bytes from others) + t.bytes + $5 <= $12)
    returning 1
  ), logged as (
    insert into audit_events (event) select $10 from counted where $10::text is not null
  )
  insert into records (owner, collection, id, position, bytes, created_at, updated_at, status, body, folded)
  select $1, $2, $3, $4::bigint, $5, $6, $6, $7, $8, $9 from counted
  returning 1`,
  together: `
    with given as (
      select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::integer[], $6::bigint[], $7::text[], $8::text[], $9::text[])
        with ordinality as g (owner, collection, id, position, bytes, at, status, body, folded, n)
    ), counted as (
      insert into account_totals as t (owner, collection, records, bytes, updated_at)
      select owner, collection, count(*), sum(bytes), max(at) from given group by 1, 2 order by 1, 2
      on conflict (owner, collection) do update
        set records = t.records + excluded.records, bytes = t.bytes + excluded.bytes, updated_at = greatest(t.updated_at, excluded.updated_at)
    ), stored as (
      insert into records (owner, collection, id, position, bytes, created_at, updated_at, status, body, folded)
      select owner, collection, id, position, bytes, at, at, status, body, folded from given
    ) select n from given`,
};

/** `$3` id, `$4` version before, `$5` bytes, `$6` growth, `$7` time, `$8` status, `$9` body, `$10` folded, `$11` event or null. No row: another change came first. */
export const UPDATE: Statement = {
  name: 'update',
  text: `
  with changed as (
    update records set version = version + 1, bytes = $5, updated_at = $7::bigint, status = $8, body = $9, folded = $10
     where owner = $1 and collection = $2 and id = $3 and version = $4
    returning 1
  ), counted as (
    update account_totals t set bytes = t.bytes + $6, updated_at = greatest(t.updated_at, $7)
      from changed where t.owner = $1 and t.collection = $2
  ), logged as (
    insert into audit_events (event) select $11 from changed where $11::text is not null
  )
  select 1 from changed`,
  together: `
    with given as (
      select * from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[])
        with ordinality as g (owner, collection, id, version, bytes, growth, at, status, body, folded, n)
    ), changed as (
      update records r set version = r.version + 1, bytes = g.bytes, updated_at = g.at, status = g.status, body = g.body, folded = g.folded
        from given g where r.owner = g.owner collate "C" and r.collection = g.collection collate "C" and r.id = g.id collate "C" and r.version = g.version
      returning g.n, g.owner, g.collection, g.growth, g.at
    ), counted as (
      update account_totals t set bytes = t.bytes + c.growth, updated_at = greatest(t.updated_at, c.at)
        from (select owner, collection, sum(growth) as growth, max(at) as at from changed group by 1, 2 order by 1, 2) c
       where t.owner = c.owner collate "C" and t.collection = c.collection collate "C"
    ) select n from changed`,
};

/** `$3` id, `$4` event or null. No row: there is no such record. */
export const DELETE: Statement = {
  name: 'delete',
  text: `
  with gone as (
    delete from records where owner = $1 and collection = $2 and id = $3 returning bytes
  ), counted as (
    update account_totals t set records = t.records - 1, bytes = t.bytes - gone.bytes
      from gone where t.owner = $1 and t.collection = $2
    returning t.records
  ), logged as (
    insert into audit_events (event) select $4 from gone where $4::text is not null
  )
  select counted.records from gone left join counted on true`,
};

/** An account without a record leaves no row in the totals: its name would outlive its erasure. */
export const FORGET: Statement = {
  name: 'forget',
  text: 'delete from account_totals where owner = $1 and collection = $2 and records = 0',
};

export const SIZE: Statement = {
  name: 'size',
  text: 'select coalesce(sum(records), 0) as records, coalesce(sum(bytes), 0) as bytes from account_totals where owner = $1',
};

/** `$2`: orders before this position. `$3`: how many. Newest first. */
export const ORDERS: Statement = {
  name: 'orders',
  text: `
  select position, body from records where owner = $1 and collection = 'orders' and position < $2
   order by position desc limit $3`,
};

export const COUNT_OF: Statement = {
  name: 'count_of',
  text: 'select records from account_totals where owner = $1 and collection = $2',
};

export const TOTALS_OF: Statement = {
  name: 'totals_of',
  text: 'select collection, records from account_totals where owner = $1 and records > 0',
};

export const PROFILES: Statement = {
  name: 'profiles',
  text: "select body from records where owner = $1 and collection = 'businesses' order by position desc",
};
