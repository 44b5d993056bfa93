// The directory's tables and every statement on them.

import { CREATE_VERSION, type SchemaSteps } from '../../storage/object/object-storage.js';

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
    // Identifies an event, so that none is stored twice. Null in events of earlier versions.
    'alter table audit_events add column name text',
    'create unique index audit_events_by_name on audit_events (name)',
    'alter table accounts drop column event',
  ],
  // Restores under way, of an earlier release.
  [
    'create table if not exists restores (owner text primary key, restore text not null) strict, without rowid',
  ],
  // Earlier releases kept sums over `holdings`; now each view adds them up.
  ['restores', 'tenants', 'totals', 'created_hours'].map((name) => `drop table if exists ${name}`),
];

export const FIND_ACCOUNT = 'select revision from accounts where owner = ?1';

export const PUT_ACCOUNT = `
  insert into accounts (owner, folded_owner, revision, record_count)
  values (?1, ?2, ?3, ?4)
  on conflict (owner) do update
    set revision = excluded.revision, record_count = excluded.record_count`;
export const REMOVE_ACCOUNT = 'delete from accounts where owner = ?1';
export const REMOVE_HOLDINGS = 'delete from holdings where owner = ?1';

/** `?2`: a JSON object of the account's holdings, by collection. Unchanged rows are not written. */
export const PUT_HOLDINGS = `
  insert into holdings (owner, collection, own, records, payload_bytes, updated_at, created)
  select ?1, key, value ->> 'own', value ->> 'records', value ->> 'payloadBytes',
         value ->> 'updatedAt', value -> 'created'
    from json_each(?2) where true
  on conflict (owner, collection) do update
    set own = excluded.own, records = excluded.records, payload_bytes = excluded.payload_bytes,
        updated_at = excluded.updated_at, created = excluded.created
    where (own, records, payload_bytes, updated_at, created) is not
          (excluded.own, excluded.records, excluded.payload_bytes, excluded.updated_at,
           excluded.created)`;

export const REMOVE_SEARCH_TEXTS = 'delete from search_texts where owner = ?1';
export const PUT_SEARCH_TEXT = 'insert into search_texts (owner, number, text) values (?1, ?2, ?3)';

/** `?1`: the event. `?2`, `?3`, `?4`: owner, epoch and number, which identify it. */
export const APPEND_EVENT = `
  insert into audit_events (timestamp, event, name)
  values (?1 ->> 'timestamp', ?1, json_array(?2, ?3, ?4)) on conflict (name) do nothing`;

/** Reads one row, to see whether the database answers. */
export const LOOK = 'select owner from accounts limit 1';

export const COUNT_TENANTS = 'select count(*) as tenants from accounts where record_count > 0';

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

export const READ_TOTALS = `
  select collection, sum(records) as records, sum(payload_bytes) as payload_bytes,
         max(updated_at) as updated_at
    from holdings where records > 0 group by collection`;

/** Records created after each of three hours. Parameters: hours since 1970. */
export const SUM_CREATED = `
  select collection,
         total(hours.value * (cast(hours.key as integer) > ?1)) as after_first,
         total(hours.value * (cast(hours.key as integer) > ?2)) as after_second,
         total(hours.value * (cast(hours.key as integer) > ?3)) as after_third
    from holdings, json_each(holdings.created) as hours group by collection`;

/** No event is ever removed, and their numbers have no gaps. */
export const COUNT_EVENTS = 'select coalesce(max(id), 0) as total from audit_events';

/** Ordered by the time of the change, not of its delivery. */
export const LIST_EVENTS = `
  select json_set(event, '$.id', id) as event
    from audit_events order by timestamp desc, id desc limit ?1 offset ?2`;

/** Accounts after a subject, in order, including those without records. */
export const LIST_KNOWN = `
  select owner from accounts where owner > ?1 order by owner limit ?2`;

/** Whether the event is in the log. */
export const FIND_NAMED = 'select id from audit_events where name = json_array(?1, ?2, ?3)';

/** Positions and sizes of events, oldest first. `?1`, `?2`: the position of the previous event. */
export const MEASURE_EVENTS = `
  select id, timestamp, octet_length(event) as size from audit_events
   where timestamp > ?1 or (timestamp = ?1 and id > ?2) order by timestamp, id limit ?3`;

/** Oldest first. `?1`, `?2`: the position of the previous event. */
export const EVENTS_AFTER = `
  select event, name from audit_events
   where timestamp > ?1 or (timestamp = ?1 and id > ?2) order by timestamp, id limit ?3`;
