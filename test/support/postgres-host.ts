// The contract suite's host of two processes over one Postgres that keep no records.

import { MARKS } from './failing-writes.js';
import type { Host } from './hosts.js';
import { newDatabaseName, sharedPostgres } from './postgres.js';
import { startServer } from './server-process.js';

const databases = new Map<string, string>();

/** The server, and the name of the folder's database in it. */
async function databaseOf(folder: string) {
  const server = await sharedPostgres();
  const known = databases.get(folder);
  const name = known ?? newDatabaseName();
  databases.set(folder, name);
  if (known === undefined) await server.make(name);
  return { server, name };
}

export const postgresHost: Host = {
  name: 'two stateless processes over Postgres',
  storage: 'Postgres',
  async changeDatabase(folder, ...statements) {
    const { server, name } = await databaseOf(folder);
    for (const statement of [...statements.map(inPostgres), ...FILL]) {
      await server.sql(name, statement);
    }
  },
  async failMarkedWrites(folder) {
    const { server, name } = await databaseOf(folder);
    for (const statement of FAILING) await server.sql(name, statement);
  },
  async start(folder, settings) {
    const { server, name } = await databaseOf(folder);
    const environment = { DATABASE_URL: server.urlOf(name), ...settings };
    const processes = [await startServer(environment), await startServer(environment)] as const;
    let requests = 0;
    return {
      fetch: (path, init) => fetch(processes[++requests % 2 ? 1 : 0].origin + path, init),
      async close() {
        const codes = await Promise.all(processes.map(({ stop }) => stop()));
        const output = processes.map((each) => each.output());
        if (codes.some((code) => code !== 0)) throw new Error(`exited with ${codes}: ${output}`);
      },
    };
  },
};

/** The contract tests' SQL for SQLite, translated for Postgres. */
function inPostgres(statement: string): string {
  return statement
    .replace('into records (collection,', 'into records (owner, bytes, position, collection,')
    .replace(
      /values\s+\(/,
      `values ('?', 0, (select coalesce(max(position), 0) + 1 from records), `,
    );
}

/** Triggers that fail what has a mark in a row's own text. */
const FAILING = [
  `create or replace function fail_marked() returns trigger language plpgsql as $$ begin
     if position(tg_argv[0] in coalesce(new, old)::text) > 0 then raise exception 'injected'; end if;
     return coalesce(new, old); end $$`,
  ...[
    ['put', 'insert or update on records', MARKS.put],
    ['removal', 'delete on records', MARKS.removal],
    ['event', 'insert on audit_events', MARKS.event],
  ].map(
    ([name, action, mark]) => `create or replace trigger fail_${name} before ${action}
      for each row execute function fail_marked('${mark}')`,
  ),
];

/** What the service keeps in addition to a record's text; a start advances the sequences itself. */
const FILL = [
  `update records set bytes = octet_length(body),
     owner = coalesce(case when jsonb_typeof(body::jsonb -> 'owner_sub') = 'string' then body::jsonb ->> 'owner_sub' end, ''),
     status = case when body::jsonb ? 'status' then case when jsonb_typeof(body::jsonb -> 'status') = 'string' then '=' || (body::jsonb ->> 'status') else '!' end end,
     folded = case when body ~ '^[\\x01-\\x7f]*$' then null else replace(lower(body collate "und-x-icu"), 'ς', 'σ') end`,
  // Lower than the number of any future id.
  `update records r set position = o.n - 1000000
     from (select owner, collection, id, row_number() over (order by position) as n from records) o
    where (r.owner, r.collection, r.id) = (o.owner, o.collection, o.id)`,
  'delete from account_totals',
  `insert into account_totals select owner, collection, count(*), sum(bytes), max(updated_at) from records group by 1, 2`,
];
