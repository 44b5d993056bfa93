// The tables, and the check that the server does not lose acknowledged writes.

import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { PutRow } from '../../core/records/record-storage.js';
import { rowColumns } from './columns.js';
import type { Database, Run } from './database.js';

/** An advisory lock key that other programs are unlikely to use. */
const SCHEMA_LOCK = 7_343_028_152;

/** A later version only adds to the tables, so that processes of the previous release keep working. */
const SCHEMA_VERSION = 1;

/** The source of id numbers: "IDs are unique per resource per database". */
export const sequenceName = (collection: CollectionName) => `${collection}_numbers`;

/**
 * Texts are compared bytewise, so that no upgrade of the system's locales can corrupt an index.
 * `position` orders lists: the id's number, or below 1 for rows loaded from another engine. `folded`
 * is the text that searches read; null if Postgres' `lower` gives the same. Each write updates the
 * totals in its transaction. `locked_size` is a function because only its second statement sees what
 * was committed while the first waited. `works_from`: the oldest schema version that a release must
 * know to use these tables.
 */
const TABLES = [
  `create table records (
     owner text collate "C" not null,
     collection text collate "C" not null,
     id text collate "C" not null,
     position bigint not null,
     version integer not null default 1,
     bytes integer not null,
     created_at bigint not null,
     updated_at bigint not null,
     status text collate "C",
     body text collate "C" not null,
     folded text collate "C",
     primary key (owner, collection, id)) with (fillfactor = 90)`,
  'create index records_in_order on records (owner, collection, position) include (status)',
  'create index records_created on records (collection, created_at)',
  `create table account_totals (
     owner text collate "C" not null,
     collection text collate "C" not null,
     records bigint not null,
     bytes bigint not null,
     updated_at bigint not null,
     primary key (owner, collection)) with (fillfactor = 50)`,
  `create function locked_size(account text, out records bigint, out bytes bigint) language plpgsql as $$
     begin
       perform pg_advisory_xact_lock(hashtextextended(account, 0));
       select coalesce(sum(t.records), 0), coalesce(sum(t.bytes), 0) into records, bytes
         from account_totals t where t.owner = account collate "C";
     end $$`,
  'create table audit_events (id bigint generated always as identity primary key, event text not null)',
  ...COLLECTION_NAMES.map(
    (name) => `create sequence ${sequenceName(name)} maxvalue ${Number.MAX_SAFE_INTEGER}`,
  ),
  `create table service_schema as select ${SCHEMA_VERSION} as works_from`,
];

/**
 * Creates the tables, one process at a time. New tables get the `seed` in the same transaction.
 * Resolves with a line about the server. Rejects if this release or server can't hold them.
 */
export function prepareSchema(database: Database, seed: readonly PutRow[] = []): Promise<string> {
  return database.transaction(async (run) => {
    await run('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    const { found, tables } = await checkServer(run);
    if (tables) {
      const newer = await run(`select from service_schema where works_from > ${SCHEMA_VERSION}`);
      if (newer.length > 0) {
        throw new Error('the tables need a newer release than this one. Start the newer release');
      }
    } else {
      for (const text of TABLES) await run(text);
      const [created_at, updated_at] = [Date.now(), Date.now()];
      const rows = seed.map((row, index) => {
        return { ...rowColumns({ ...row, position: index - seed.length }), created_at, updated_at };
      });
      await run(PUT_ROWS, [JSON.stringify(rows)]);
      await run(PUT_TOTALS);
    }
    await advanceSequences(run);
    return found;
  });
}

/** `$1`: a JSON list of rows. */
export const PUT_ROWS =
  'insert into records select * from json_populate_recordset(null::records, $1)';
export const PUT_TOTALS = `
  insert into account_totals (owner, collection, records, bytes, updated_at)
  select owner, collection, count(*), sum(bytes), max(updated_at) from records group by 1, 2`;

/**
 * Rows can be loaded without their sequences (logical replication, `pg_dump -a`), and no id may be given
 * twice. Sets only a sequence that is behind, and reads it after the rows, because another process may be
 * taking numbers. A regular expression would double the time.
 */
const ADVANCE_SEQUENCES = `
  select setval(sequence, highest) from (
    select sequence::regclass, max(digits::bigint) as highest
      from (select c.sequence, substr(r.id, length(c.prefix) + 1) as digits
          from records r join unnest($1::text[], $2::text[], $3::text[]) as c (name, prefix, sequence)
            on c.name = r.collection and starts_with(r.id, c.prefix)) ids
     where length(digits) between 1 and 15 and ltrim(digits, '0123456789') = '' group by 1
    union all select pg_get_serial_sequence('audit_events', 'id')::regclass, max(id) from audit_events
  ) stored where highest > coalesce(pg_sequence_last_value(sequence), 0)`;

/** The next ids are above those of all stored records and audit events. */
export async function advanceSequences(run: Run): Promise<void> {
  const prefixes = COLLECTION_NAMES.map((name) => COLLECTIONS[name].idPrefix);
  await run(ADVANCE_SEQUENCES, [COLLECTION_NAMES, prefixes, COLLECTION_NAMES.map(sequenceName)]);
}

/**
 * Resolves with a line about the server, and whether it has the tables. Rejects if it could lose data,
 * refuses to create tables, or has those of another program.
 */
export async function checkServer(run: Run): Promise<{ found: string; tables: boolean }> {
  const [server] = await run<{ problem: string | null; found: string; tables: boolean }>(
    INSPECT_SERVER,
  );
  if (server === undefined || server.problem !== null) {
    throw new Error(server?.problem ?? 'Postgres returned no information about itself');
  }
  return server;
}

const INSPECT_SERVER = `
  select case
      when current_setting('server_version_num')::integer < 150000 then
        format('the server is Postgres %s; it must be 15 or newer', version)
      when pg_is_in_recovery() then
        'the server is a read-only standby; DATABASE_URL must name the primary'
      when off is not null then
        format('%s is off in Postgres; it must be on, or a power cut loses acknowledged writes', off)
      when standbys <> '' and current_setting('synchronous_commit') = 'local' then
        'synchronous_commit is local in Postgres although synchronous_standby_names is set; it must be on, or a failover loses acknowledged writes'
      when current_setting('server_encoding') <> 'UTF8' then
        format('the database''s encoding is %s; it must be UTF8', current_setting('server_encoding'))
      when to_regcollation('"und-x-icu"') is null then
        'Postgres was built without ICU, which the search of accounts needs; use a build with it'
      when not tables and other is not null then
        format('the database has tables of another program (%s); DATABASE_URL must name a database or schema of the service''s own', other)
      when not has_rights then
        'the user of DATABASE_URL cannot create tables in its schema, or write to them; grant it CREATE on the schema, or SELECT, INSERT, UPDATE and DELETE on the tables and USAGE on the sequences'
    end as problem, tables,
    format('Postgres %s, %s TLS, synchronous standbys: %s', version,
      case when is_tls then 'with' else 'without' end, coalesce(nullif(standbys, ''), 'none')) as found
    from (select current_setting('server_version') as version,
        to_regclass('service_schema') is not null as tables,
        coalesce(to_regclass('records'), to_regclass('account_totals'), to_regclass('audit_events')) as other,
        current_setting('synchronous_standby_names') as standbys,
        (select min(name) from pg_settings where setting = 'off'
           and name in ('fsync', 'full_page_writes', 'synchronous_commit')) as off,
        (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as is_tls,
        coalesce(
          (select bool_and(has_table_privilege(to_regclass(t), p))
             from unnest(array['records', 'account_totals', 'audit_events']) t,
               unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p),
          has_schema_privilege(current_schema(), 'CREATE'), false) as has_rights) server`;
