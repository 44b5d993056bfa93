// The directory's tables and every statement on them.

import { CREATE_VERSION, type SchemaSteps } from '../../storage/object/schema-version.js';

export const FIRST_TABLE = 'accounts';

export const SCHEMA_STEPS: SchemaSteps = [
  [
    `create table accounts (
       owner text primary key,
       folded_owner text not null,
       revision integer not null,
       event integer not null,
       record_count integer not null
     ) strict, without rowid`,
    `create table holdings (
       owner text not null,
       collection text not null,
       own integer not null,
       records integer not null,
       payload_bytes integer not null,
       updated_at integer not null,
       created text not null,
       primary key (owner, collection)
     ) strict, without rowid`,
    `create table search_texts (
       owner text not null,
       number integer not null,
       text text not null,
       primary key (owner, number)
     ) strict, without rowid`,
    `create table audit_events (
       id integer primary key,
       timestamp text not null,
       event text not null
     ) strict`,
    'create index audit_events_by_time on audit_events (timestamp)',
  ],
  [
    ...CREATE_VERSION,
    // An event's name, so that no event is taken twice. Events of earlier versions have no name.
    'alter table audit_events add column name text',
    'create unique index audit_events_by_name on audit_events (name)',
    'alter table accounts drop column event',
    // Sums over `holdings`. Each delivery adds its difference, so no view has to add up all accounts.
    'create table tenants (number integer not null) strict',
    'insert into tenants select count(*) from accounts where record_count > 0',
    // Null: the latest update was removed; the next view looks for the update before it.
    `create table totals (
       collection text primary key,
       records integer not null,
       payload_bytes integer not null,
       updated_at integer
     ) strict, without rowid`,
    `insert into totals
       select collection, sum(records), sum(payload_bytes), max(updated_at)
         from holdings group by collection`,
    // Hours since 1970.
    `create table created_hours (
       collection text not null,
       hour integer not null,
       records integer not null,
       primary key (collection, hour)
     ) strict, without rowid`,
    `insert into created_hours
       select holdings.collection, cast(hours.key as integer), sum(hours.value)
         from holdings, json_each(holdings.created) as hours
        group by 1, 2`,
  ],
  [
    // Restores under way: a restored object does not know that it was restored.
    'create table restores (owner text primary key, restore text not null) strict, without rowid',
  ],
];

export const FIND_ACCOUNT = 'select revision, record_count from accounts where owner = ?1';

export const PUT_ACCOUNT = `
  insert into accounts (owner, folded_owner, revision, record_count)
  values (?1, ?2, ?3, ?4)
  on conflict (owner) do update
    set revision = excluded.revision, record_count = excluded.record_count`;
export const REMOVE_ACCOUNT = 'delete from accounts where owner = ?1';
export const ADD_TENANTS = 'update tenants set number = number + ?1';

export const FIND_HOLDINGS = `
  select collection, own, records, payload_bytes, updated_at, created
    from holdings where owner = ?1`;

export const PUT_HOLDING = `
  insert into holdings (owner, collection, own, records, payload_bytes, updated_at, created)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
  on conflict (owner, collection) do update
    set own = excluded.own, records = excluded.records, payload_bytes = excluded.payload_bytes,
        updated_at = excluded.updated_at, created = excluded.created`;

export const REMOVE_HOLDING = 'delete from holdings where owner = ?1 and collection = ?2';

export const REMOVE_SEARCH_TEXTS = 'delete from search_texts where owner = ?1';
export const PUT_SEARCH_TEXT = 'insert into search_texts (owner, number, text) values (?1, ?2, ?3)';

/** `?1`: the event. `?2`, `?3`, `?4`: owner, epoch and number, which name it. */
export const APPEND_EVENT = `
  insert into audit_events (timestamp, event, name)
  values (?1 ->> 'timestamp', ?1, json_array(?2, ?3, ?4)) on conflict (name) do nothing`;

/** Reads one row, to see whether the database answers. */
export const LOOK = 'select number from tenants';

export const COUNT_TENANTS = 'select number as tenants from tenants';

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

/** `?2`, `?3`: the differences. `?4`, `?5`: the account's latest update before and after. */
export const ADD_TOTALS = `
  insert into totals values (?1, ?2, ?3, ?5)
  on conflict (collection) do update
    set records = records + ?2, payload_bytes = payload_bytes + ?3,
        updated_at = case when ?5 < ?4 and updated_at = ?4 then null else max(updated_at, ?5) end`;

export const FIND_LATEST = `
  update totals
     set updated_at = (select coalesce(max(holdings.updated_at), 0) from holdings
                        where holdings.collection = totals.collection)
   where updated_at is null`;

export const READ_TOTALS = `
  select collection, records, payload_bytes, updated_at from totals where records > 0`;

export const ADD_HOUR = `
  insert into created_hours values (?1, ?2, ?3)
  on conflict (collection, hour) do update set records = records + excluded.records`;

/** `?1`: the first hour that a view needs. */
export const FORGET_HOURS = 'delete from created_hours where hour < ?1';

/** Records created after each of three hours. Parameters: hours since 1970. */
export const SUM_CREATED = `
  select collection,
         total(records * (hour > ?1)) as after_first,
         total(records * (hour > ?2)) as after_second,
         total(records * (hour > ?3)) as after_third
    from created_hours group by collection`;

/** No event is ever removed, and their numbers have no gap. */
export const COUNT_EVENTS = 'select coalesce(max(id), 0) as total from audit_events';

/** Ordered by the time of the change, not of its delivery. */
export const LIST_EVENTS = `
  select json_set(event, '$.id', id) as event
    from audit_events order by timestamp desc, id desc limit ?1 offset ?2`;

/** `?2`: a JSON text. */
export const PUT_RESTORE = `
  insert into restores (owner, restore) values (?1, ?2)
  on conflict (owner) do update set restore = excluded.restore`;
export const LIST_RESTORES = 'select restore from restores';
/** `?2`: the restore's id. If another restore of the account has begun meanwhile, it stays. */
export const REMOVE_RESTORE = "delete from restores where owner = ?1 and restore ->> 'id' = ?2";
/** Accounts after a subject, in order; also those that have no record. */
export const LIST_KNOWN = `
  select owner from accounts where owner > ?1 order by owner limit ?2`;

/** Whether an event of that name is in the log. */
export const FIND_NAMED = 'select id from audit_events where name = json_array(?1, ?2, ?3)';

/** Places and sizes of events, oldest first. `?1`, `?2`: the place of the event before. */
export const MEASURE_EVENTS = `
  select id, timestamp, octet_length(event) as size from audit_events
   where timestamp > ?1 or (timestamp = ?1 and id > ?2) order by timestamp, id limit ?3`;

/** Oldest first. `?1`, `?2`: the place of the event before. */
export const EVENTS_AFTER = `
  select event, name from audit_events
   where timestamp > ?1 or (timestamp = ?1 and id > ?2) order by timestamp, id limit ?3`;
