// The directory's tables and every statement on them.

export const CREATE_TABLES = [
  `create table if not exists accounts (
     owner text primary key,
     folded_owner text not null,
     revision integer not null,
     event integer not null,
     record_count integer not null
   ) strict, without rowid`,
  `create table if not exists holdings (
     owner text not null,
     collection text not null,
     own integer not null,
     records integer not null,
     payload_bytes integer not null,
     updated_at integer not null,
     created text not null,
     primary key (owner, collection)
   ) strict, without rowid`,
  `create table if not exists search_texts (
     owner text not null,
     number integer not null,
     text text not null,
     primary key (owner, number)
   ) strict, without rowid`,
  `create table if not exists audit_events (
     id integer primary key,
     timestamp text not null,
     event text not null
   ) strict`,
  'create index if not exists audit_events_by_time on audit_events (timestamp)',
] as const;

export const FIND_ACCOUNT = 'select revision, event from accounts where owner = ?1';

export const PUT_ACCOUNT = `
  insert into accounts (owner, folded_owner, revision, event, record_count)
  values (?1, ?2, ?3, ?4, ?5)
  on conflict (owner) do update
    set revision = excluded.revision, event = excluded.event, record_count = excluded.record_count`;

/** Writes only a row that differs, because most deliveries change one collection. */
export const PUT_HOLDING = `
  insert into holdings (owner, collection, own, records, payload_bytes, updated_at, created)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
  on conflict (owner, collection) do update
    set own = excluded.own, records = excluded.records, payload_bytes = excluded.payload_bytes,
        updated_at = excluded.updated_at, created = excluded.created
    where (own, records, payload_bytes, updated_at, created)
      is not (excluded.own, excluded.records, excluded.payload_bytes, excluded.updated_at, excluded.created)`;

export const REMOVE_HOLDING = 'delete from holdings where owner = ?1 and collection = ?2';

export const REMOVE_SEARCH_TEXTS = 'delete from search_texts where owner = ?1';
export const PUT_SEARCH_TEXT = 'insert into search_texts (owner, number, text) values (?1, ?2, ?3)';

export const APPEND_EVENT = `
  insert into audit_events (timestamp, event) values (?1 ->> 'timestamp', ?1)`;

export const COUNT_TENANTS = 'select count(*) as tenants from accounts where record_count > 0';

export const COUNT_RECORDS =
  'select collection, sum(records) as records from holdings group by collection';

/** `?1`: the case-folded text to find; empty: every account. */
const MATCHING = `record_count > 0 and (
    ?1 = '' or instr(folded_owner, ?1) > 0 or exists (
      select 1 from search_texts
       where search_texts.owner = accounts.owner and instr(search_texts.text, ?1) > 0))`;

export const COUNT_ACCOUNTS = `select count(*) as total from accounts where ${MATCHING}`;

export const LIST_ACCOUNTS = `
  select owner, record_count,
         (select json_group_object(collection, own) from holdings
           where holdings.owner = accounts.owner) as counts
    from accounts where ${MATCHING} order by owner limit ?2 offset ?3`;

export const SUM_USAGE = `
  select collection, sum(records) as records, sum(payload_bytes) as payload_bytes,
         max(updated_at) as updated_at
    from holdings group by collection`;

/** Records created after each of three hours. Parameters: hours since 1970. */
export const SUM_CREATED = `
  select collection,
         total(value * (cast(key as integer) > ?1)) as after_first,
         total(value * (cast(key as integer) > ?2)) as after_second,
         total(value * (cast(key as integer) > ?3)) as after_third
    from (select holdings.collection, hours.key, hours.value
            from holdings, json_each(holdings.created) as hours)
   group by collection`;

export const COUNT_EVENTS = 'select count(*) as total from audit_events';

/** Ordered by the time of the change, not of its delivery. */
export const LIST_EVENTS = `
  select json_set(event, '$.id', id) as event
    from audit_events order by timestamp desc, id desc limit ?1 offset ?2`;
