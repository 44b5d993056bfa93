// A Postgres database as the source of a dump, and as the target of a load.

import pg from 'pg';
import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import { foldedColumn, statusColumn, toStored } from '../../storage/postgres/columns.js';
import { Database, type Run, reasonOf } from '../../storage/postgres/database.js';
import { prepareSchema, sequenceName } from '../../storage/postgres/schema.js';
import { expectSafeServer } from '../../storage/postgres/server-check.js';
import { CommandError } from '../data/failures.js';
import { type CheckedDump, type DumpTarget, loadWhole } from './checked-dump.js';
import {
  batchesOf,
  type ContentLine,
  type DumpSource,
  eventLine,
  isEvent,
  isRecord,
  type RecordLine,
  recordLine,
} from './lines.js';

/** Each row may have 2 MiB. */
const FETCHED_ROWS = 50;

/** Everything is read in one transaction, so it is of one moment, also while processes write. */
export function postgresSource(url: string): DumpSource {
  return {
    kind: 'postgres',
    async *lines(account) {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
      client.on('error', () => {});
      try {
        await client.connect();
        const run: Run = async (text, values = []) => (await client.query(text, [...values])).rows;
        await run('begin isolation level repeatable read read only');
        yield* linesIn(run, account);
      } catch (error) {
        throw cannot('read', error);
      } finally {
        await client.end();
      }
    },
  };
}

/** Everything is one transaction: an interrupted load leaves nothing behind. */
export function postgresTarget(url: string): DumpTarget {
  return {
    givesIdsOnce: true,
    async load(dump) {
      const database = new Database(url);
      try {
        await database.transaction(expectSafeServer);
        await prepareSchema(database);
        return await database.transaction(async (run) => {
          await run('lock table records, audit_events in exclusive mode');
          const wasThere = (await run('select from records limit 1')).length > 0;
          const [put, lines] = [() => putLines(run, dump), () => linesIn(run)];
          return loadWhole(dump, wasThere, { put, lines, name: 'the Postgres database' });
        });
      } catch (error) {
        throw cannot('load into', error);
      } finally {
        await database.close();
      }
    },
  };
}

const RECORDS = `
  select owner, collection, id, position, created_at, updated_at, body from records
   where $1::text is null or owner = $1 order by owner, collection, position`;
const EVENTS = 'select id, event from audit_events order by id';

async function* linesIn(run: Run, account?: string): AsyncGenerator<ContentLine> {
  const one = account === undefined ? null : toStored(account);
  for await (const row of fetched(run, RECORDS, [one])) yield recordLine(row);
  for await (const { id, event } of fetched(run, EVENTS)) {
    const line = eventLine(Number(id), String(event));
    if (account === undefined || line.owner === account) yield line;
  }
  // Sequences are outside of the snapshot: they are at least those of the records.
  for (const name of COLLECTION_NAMES) {
    const [row] = await run<{ last: string }>(
      `select last_value as last from ${sequenceName(name)} where is_called`,
    );
    if (row !== undefined) yield { account: null, highest: { [name]: Number(row.last) } };
  }
}

async function* fetched(run: Run, query: string, values: readonly unknown[] = []) {
  await run(`declare dumped no scroll cursor for ${query}`, values);
  for (;;) {
    const rows = await run<Record<string, unknown>>(`fetch ${FETCHED_ROWS} from dumped`);
    yield* rows;
    if (rows.length < FETCHED_ROWS) break;
  }
  await run('close dumped');
}

const PUT_ROWS = `
  insert into records (owner, collection, id, position, bytes, created_at, updated_at, status, body, folded)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::integer[],
                       $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[])`;
const PUT_EVENTS = `
  insert into audit_events (id, event) overriding system value
  select * from unnest($1::bigint[], $2::text[])`;
const PUT_TOTALS = `
  insert into account_totals (owner, collection, records, bytes, updated_at)
  select owner, collection, count(*), sum(bytes), max(updated_at) from records group by 1, 2`;
const NEXT_EVENT = `
  select setval(pg_get_serial_sequence('audit_events', 'id'), max(id)) from audit_events having max(id) > 0`;

async function putLines(run: Run, dump: CheckedDump): Promise<void> {
  let order = dump.records;
  // Before every number that an id may get: new records come after these.
  const positionOf = (line: RecordLine) => (dump.source === 'postgres' ? line.position : -order--);
  for await (const batch of batchesOf(dump.lines())) {
    const rows = batch.filter(isRecord);
    const of = <T>(column: (row: RecordLine) => T) => rows.map(column);
    await run(PUT_ROWS, [
      of(({ owner }) => toStored(owner ?? '')),
      of(({ collection }) => collection),
      of(({ id }) => toStored(id)),
      of(positionOf),
      of(({ body }) => Buffer.byteLength(body)),
      of((row) => row.created_at),
      of((row) => row.updated_at),
      of((row) => statusColumn(storedFacts(row).status)),
      of(({ body }) => body),
      of(({ body }) => foldedColumn(body)),
    ]);
    const events = batch.filter(isEvent);
    await run(PUT_EVENTS, [events.map(({ id }) => id), events.map(({ event }) => event)]);
  }
  await run(PUT_TOTALS);
  for (const [name, number] of Object.entries(dump.highest)) {
    await run('select setval($1, $2)', [sequenceName(name as CollectionName), number]);
  }
  await run(NEXT_EVENT);
}

function cannot(what: string, error: unknown): Error {
  if (error instanceof CommandError) return error;
  const sentence = `cannot ${what} the Postgres database: ${reasonOf(error)}`;
  return new CommandError(sentence, { cause: error });
}
