// The statements on one shard. `shards` has one row for each: lease, fence and counter at once.

/** `$1`: the shard. `$2`: the process. No row: another process holds it. */
export const TAKE = `
  update shards set holder = $2, epoch = epoch + 1
   where shard = $1 and (holder is null or holder = $2)
  returning epoch, commits`;

/** Takes it also from who has it, for an engine that is opened without a fleet. */
export const TAKE_BY_FORCE = `
  update shards set holder = $2, epoch = epoch + 1 where shard = $1
  returning epoch, commits`;

/** `$1`: the shard. `$2`: the process. `$3`: its epoch. */
export const RELEASE = `
  update shards set holder = null where shard = $1 and holder = $2 and epoch = $3`;

/** `$1`: the shard. `$2`: rows after this position. `$3`: how many at most. */
export const LOAD = `
  select position, collection, id, body from records
   where shard = $1 and position > $2 order by position limit $3`;

export const LOAD_SEQUENCES = 'select collection, highest from sequences where shard = $1';

/**
 * Changes of several shards, each with the fence on which it depends: a shard without a row of
 * `fence` stores nothing. By column: `$1` shards, `$2` their epochs, `$3` numbers of the commits,
 * `$4` times; the rows to write: `$5` shards, `$6` positions, `$7` collections, `$8` ids, `$9`
 * owners, `$10` bodies, `$11` lengths; `$12` shards and `$13` positions to remove; `$14` shards,
 * `$15` collections and `$16` their highest numbers; `$17` shards and `$18` events.
 *
 * An account without a record leaves no row in the totals: its name would outlive its erasure.
 */
export const COMMIT = {
  name: 'commit',
  text: `
  with fence as (
    update shards s set commits = f.number
      from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[])
           as f (shard, epoch, number, at)
     where s.shard = f.shard and s.epoch = f.epoch and s.holder is not null
    returning s.shard, f.at
  ), puts as (
    select p.*, fence.at from unnest($5::integer[], $6::bigint[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::integer[])
      as p (shard, position, collection, id, owner, body, bytes) join fence using (shard)
  ), removals as (
    select r.* from unnest($12::integer[], $13::bigint[]) as r (shard, position)
      join fence using (shard)
  ), earlier as (
    select r.collection, r.owner, r.bytes from records r
      join (select shard, position from puts union all select shard, position from removals) c
        using (shard, position)
  ), removed as (
    delete from records r using removals d where r.shard = d.shard and r.position = d.position
  ), put as (
    insert into records (shard, position, collection, id, owner, body, bytes, created_at, updated_at)
    select shard, position, collection, id, owner, body, bytes, at, at from puts
    on conflict (shard, position) do update set collection = excluded.collection,
      id = excluded.id, owner = excluded.owner, body = excluded.body, bytes = excluded.bytes,
      updated_at = excluded.updated_at
  ), growth as (
    select coalesce(owner, '') as owner, collection, sum(records) as records, sum(bytes) as bytes
      from (select owner, collection, 1 as records, bytes from puts
            union all select owner, collection, -1, -bytes from earlier) each
     group by 1, 2
  ), grown as (
    select g.owner, g.collection, g.records + coalesce(t.records, 0) as records,
           g.bytes + coalesce(t.bytes, 0) as bytes
      from growth g left join account_totals t using (owner, collection)
  ), emptied as (
    delete from account_totals t using grown g
     where g.records = 0 and t.owner = g.owner and t.collection = g.collection
  ), counted as (
    insert into account_totals (owner, collection, records, bytes)
    select owner, collection, records, bytes from grown where records > 0
    on conflict (owner, collection) do update
      set records = excluded.records, bytes = excluded.bytes
  ), numbered as (
    insert into sequences (shard, collection, highest)
    select s.* from unnest($14::integer[], $15::text[], $16::bigint[])
      as s (shard, collection, highest) join fence using (shard)
    on conflict (shard, collection) do update
      set highest = greatest(sequences.highest, excluded.highest)
  ), logged as (
    insert into audit_events (event) select e.event from unnest($17::integer[], $18::text[])
      with ordinality as e (shard, event, number) join fence using (shard) order by e.number
  )
  select shard from fence`,
} as const;

/**
 * What became of a commit whose connection was lost. The row's lock waits for whatever the old
 * connection still does, and this statement is a commit of its own: where a synchronous standby
 * has it, it has the one before, too. `$1` shard, `$2` epoch. No row: another process holds it.
 */
export const SETTLE = `
  update shards set commits = commits where shard = $1 and epoch = $2 and holder is not null
  returning commits`;
