// The contract suite's host of two stateless processes over one Postgres.

import type { StoredRow } from '../../src/core/records/record-storage.js';
import { rowColumns } from '../../src/storage/postgres/columns.js';
import { PUT_ROWS, PUT_TOTALS } from '../../src/storage/postgres/schema.js';
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
    const sql = (text: string, values?: unknown[]) => server.sql(name, text, values);
    for (const statement of statements) await sql(inPostgres(statement));
    // Derives what the service stores in addition to a record's text, as a load does. Positions are
    // lower than the number of any future id.
    const rows = (await sql('select * from records order by position')) as unknown as StoredRow[];
    const filled = rows.map((row, i) => {
      return { ...row, ...rowColumns({ ...row, position: i - 1_000_000 }) };
    });
    await sql('truncate records, account_totals');
    await sql(PUT_ROWS, [JSON.stringify(filled)]);
    await sql(PUT_TOTALS);
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
