// The SQL by which the contract suite changes a stopped host's database.
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import type { PostgresServer } from './postgres.js';

export async function changePostgres(
  server: PostgresServer,
  database: string,
  statements: readonly string[],
): Promise<void> {
  for (const statement of statements) await server.sql(database, inPostgres(statement));
  for (const statement of FILL) await server.sql(database, statement);
  for (const name of COLLECTION_NAMES) {
    const digits = `substring(id from '^${COLLECTIONS[name].idPrefix}([0-9]{1,15})$')::bigint`;
    await server.sql(
      database,
      `select setval('${name}_numbers', greatest((select max(${digits}) from records where collection = '${name}'), (select last_value from ${name}_numbers), 1))`,
    );
  }
}

const TRIGGER =
  /create trigger if not exists (\w+) before (insert|delete) on (\w+)\s+when (.+?) begin select raise\(abort, '(\w+)'\); end/s;

function inPostgres(statement: string): string {
  const trigger = TRIGGER.exec(statement);
  if (trigger !== null) {
    const [, name, action, table, condition, message] = trigger;
    const when = action === 'insert' ? 'insert or update' : 'delete';
    return `create or replace function ${name}() returns trigger language plpgsql as $$
        begin if ${condition} then raise exception '${message}'; end if;
        if tg_op = 'DELETE' then return old; end if; return new; end $$;
      create or replace trigger ${name} before ${when} on ${table}
        for each row execute function ${name}()`;
  }
  return statement
    .replace(
      /insert into records \(collection,/,
      `insert into records (owner, bytes, position, collection,`,
    )
    .replace(
      /values\s+\(/,
      `values ('?', 0, (select coalesce(max(position), 0) + 1 from records), `,
    )
    .replace(
      /json_set\(body, '\$\.(\w+)', '([^']*)'\)/,
      (_, property: string, value: string) =>
        `(body::jsonb || jsonb_build_object('${property}', '${value}'))::text`,
    )
    .replace(
      /json_remove\(body, ([^)]*)\)/,
      (_, paths: string) =>
        `(body::jsonb - '{${paths.replaceAll("'$.", "'").replaceAll("'", '')}}'::text[])::text`,
    );
}

const OWNER = `coalesce(case when jsonb_typeof(body::jsonb -> 'owner_sub') = 'string' then body::jsonb ->> 'owner_sub' end, '')`;

const FILL = [
  `update records set owner = ${OWNER}, bytes = octet_length(body),
     status = case when body::jsonb ? 'status' then case when jsonb_typeof(body::jsonb -> 'status') = 'string' then '=' || (body::jsonb ->> 'status') else '!' end end,
     folded = case when body ~ '^[\\x01-\\x7f]*$' then null else replace(lower(body collate "und-x-icu"), 'ς', 'σ') end`,
  // Below every number that an id is yet to have.
  `update records r set position = o.n - 1000000
     from (select owner, collection, id, row_number() over (order by position) as n from records) o
    where (r.owner, r.collection, r.id) = (o.owner, o.collection, o.id)`,
  'delete from account_totals',
  `insert into account_totals select owner, collection, count(*), sum(bytes), max(updated_at) from records group by 1, 2`,
];
