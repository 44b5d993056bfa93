// The SQL by which the contract suite changes a stopped host's database, said in Postgres' words.

import { SHARD_COUNT } from '../../src/storage/postgres/shards.js';
import type { PostgresServer } from './postgres.js';

export async function changePostgres(
  server: PostgresServer,
  database: string,
  statements: readonly string[],
): Promise<void> {
  for (const statement of statements) await server.sql(database, inPostgres(statement));
  for (const statement of FILL) await server.sql(database, statement);
}

const TRIGGER =
  /create trigger if not exists (\w+) before (insert|delete) on (\w+)\s+when (.+?) begin select raise\(abort, '(\w+)'\); end/s;

function inPostgres(statement: string): string {
  const trigger = TRIGGER.exec(statement);
  if (trigger !== null) {
    const [, name, action, table, condition, message] = trigger;
    return `create or replace function ${name}() returns trigger language plpgsql as $$
        begin if ${condition} then raise exception '${message}'; end if;
        if tg_op = 'DELETE' then return old; end if; return new; end $$;
      create or replace trigger ${name} before ${action} on ${table}
        for each row execute function ${name}()`;
  }
  return statement
    .replace(
      /insert into records \(collection,/,
      `insert into records (shard, bytes, position, collection,`,
    )
    .replace(/values\s+\(/, `values (-1, 0, (select coalesce(max(position), 0) + 1 from records), `)
    .replace(/json_set\(body, '\$\.(\w+)', '([^']*)'\)/, setProperty)
    .replace(/json_remove\(body, ([^)]*)\)/, (_, paths: string) => {
      const names = paths.replaceAll("'$.", "'").replaceAll("'", '');
      return `(body::jsonb - '{${names}}'::text[])::text`;
    });
}

function setProperty(_: string, name: string, value: string): string {
  return `(body::jsonb || jsonb_build_object('${name}', '${value}'))::text`;
}

const OWNER = `case when jsonb_typeof(body::jsonb -> 'owner_sub') = 'string'
  then nullif(body::jsonb ->> 'owner_sub', '') end`;

/** What a commit of the service would have written beside the bodies. */
const FILL = [
  `update records set owner = ${OWNER}, bytes = octet_length(body) where shard = -1 or owner is not null`,
  `update records set shard =
     case when owner is null then 0
          else get_byte(sha256(convert_to(owner, 'UTF8')), 3) % ${SHARD_COUNT} end
    where shard = -1`,
  'delete from account_totals',
  `insert into account_totals (owner, collection, records, bytes)
   select coalesce(owner, ''), collection, count(*), sum(bytes) from records group by 1, 2`,
];
