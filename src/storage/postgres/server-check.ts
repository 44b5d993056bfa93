// What a Postgres server must be for an acknowledged write to stay: looked at before a start.

import type { Run } from './database.js';

const OLDEST_VERSION = 15;

interface ServerFacts {
  readonly version: string;
  readonly number: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly synchronous_standby_names: string;
  readonly server_encoding: string;
  readonly is_tls: boolean | null;
  readonly has_rights: boolean;
  readonly is_standby: boolean;
}

/** One line about the server. Rejects, with a sentence, where it would lose data or take no tables. */
export async function expectSafeServer(run: Run): Promise<string> {
  const [facts] = await run<ServerFacts>(FACTS);
  if (facts === undefined) throw new Error('Postgres says nothing of itself');
  const problem = problemOf(facts);
  if (problem !== undefined) throw new Error(problem);
  const standbys = facts.synchronous_standby_names || 'none';
  const tls = facts.is_tls ? 'with TLS' : 'without TLS';
  return `Postgres ${facts.version}, ${tls}, synchronous standbys: ${standbys}`;
}

function problemOf(facts: ServerFacts): string | undefined {
  const { fsync, full_page_writes, synchronous_commit, server_encoding } = facts;
  if (Math.floor(Number(facts.number) / 10_000) < OLDEST_VERSION) {
    return `the server is Postgres ${facts.version}; it must be ${OLDEST_VERSION} or newer`;
  }
  if (facts.is_standby) {
    return 'the server is a standby and takes no writes; DATABASE_URL must name the primary';
  }
  const off = Object.entries({ fsync, full_page_writes, synchronous_commit }).find(
    ([, value]) => value === 'off',
  );
  if (off !== undefined) {
    return `${off[0]} is off in Postgres; it must be on, or a power cut loses acknowledged writes`;
  }
  if (synchronous_commit === 'local' && facts.synchronous_standby_names !== '') {
    return 'synchronous_commit is local in Postgres beside synchronous_standby_names; it must be on, or a fail-over loses acknowledged writes';
  }
  if (server_encoding !== 'UTF8') {
    return `the database's encoding is ${server_encoding}; it must be UTF8`;
  }
  if (!facts.has_rights) {
    return 'the user of DATABASE_URL may not create tables in its schema, or not write into them; grant it CREATE on the schema, or SELECT, INSERT, UPDATE and DELETE on the tables and USAGE on the sequences';
  }
  return undefined;
}

const FACTS = `
  select current_setting('server_version') as version,
         current_setting('server_version_num') as number,
         current_setting('fsync') as fsync,
         current_setting('full_page_writes') as full_page_writes,
         current_setting('synchronous_commit') as synchronous_commit,
         current_setting('synchronous_standby_names') as synchronous_standby_names,
         current_setting('server_encoding') as server_encoding,
         (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as is_tls,
         pg_is_in_recovery() as is_standby,
         coalesce(
           (select bool_and(has_table_privilege(to_regclass(t), p))
              from unnest(array['records', 'account_totals', 'audit_events']) t,
                unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
             where to_regclass('service_schema') is not null),
           has_schema_privilege(current_schema(), 'CREATE'), false) as has_rights`;
