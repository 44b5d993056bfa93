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
 * A group of changes, with the fence on which each part depends: no row of `fence`, and nothing
 * is stored. `$1` shard, `$2` epoch, `$3` number of the commit, `$4` time; the rows to write by
 * column: `$5` positions, `$6` collections, `$7` ids, `$8` owners, `$9` bodies, `$10` lengths;
 * `$11` positions to remove; `$12` collections and `$13` their highest numbers; `$14` events.
 *
 * An account without a record leaves no row in the totals: its name would outlive its erasure.
 */
export const COMMIT = {
  name: 'commit',
  text: `
  with fence as (
    update shards set commits = $3 where shard = $1 and epoch = $2 and holder is not null
    returning shard
  ), puts as (
    select fence.shard, p.* from fence, unnest($5::bigint[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::integer[]) as p (position, collection, id, owner, body, bytes)
  ), earlier as (
    select r.position, r.collection, r.owner, r.bytes from records r, fence
     where r.shard = fence.shard and r.position = any ($5::bigint[] || $11::bigint[])
  ), removed as (
    delete from records r using fence where r.shard = fence.shard and r.position = any ($11::bigint[])
  ), put as (
    insert into records (shard, position, collection, id, owner, body, bytes, created_at, updated_at)
    select shard, position, collection, id, owner, body, bytes, $4::bigint, $4::bigint from puts
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
    select fence.shard, s.* from fence, unnest($12::text[], $13::bigint[]) as s
    on conflict (shard, collection) do update
      set highest = greatest(sequences.highest, excluded.highest)
  ), logged as (
    insert into audit_events (event) select e.event from fence, unnest($14::text[]) as e (event)
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
