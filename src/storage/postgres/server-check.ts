// Checks before a start that a Postgres server keeps acknowledged writes, in tables of the service.

import type { Run } from './database.js';

/**
 * Resolves with a line about the server, and whether it has the tables. Rejects if it could lose data,
 * refuses to create tables, or has those of another program.
 */
export async function checkServer(run: Run): Promise<{ found: string; tables: boolean }> {
  const [server] = await run<{ problem: string | null; found: string; tables: boolean }>(LOOK);
  if (server === undefined || server.problem !== null) {
    throw new Error(server?.problem ?? 'Postgres returned no information about itself');
  }
  return server;
}

const LOOK = `
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
               unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
            where to_regclass('service_schema') is not null),
          has_schema_privilege(current_schema(), 'CREATE'), false) as has_rights) server`;
