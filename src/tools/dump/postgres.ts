// A Postgres database as the source of a dump, and as the target of a load.

import pg from 'pg';
import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../core/domain/collection-name.js';
import type { Sequences } from '../../core/records/record-storage.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import { fromStored, toStored } from '../../storage/postgres/columns.js';
import { Database, type Run, reasonOf } from '../../storage/postgres/database.js';
import { prepareSchema, sequenceName } from '../../storage/postgres/schema.js';
import { expectSafeServer } from '../../storage/postgres/server-check.js';
import { CommandError } from '../data/failures.js';
import { batchesOf, type DumpTarget, type Loading } from './checked-dump.js';
import { eventLine } from './database-file.js';
import { type ContentLine, Contents, type DumpSource, type RecordLine } from './lines.js';
import { finishRows, putRows } from './postgres-rows.js';

const SNAPSHOT = 'begin isolation level repeatable read read only';
/** Each row may have 2 MiB. */
const FETCHED_ROWS = 50;

/** Everything is read in one transaction, so it is of one moment, also while processes write. */
export class PostgresSource implements DumpSource {
  readonly kind = 'postgres';
  readonly #client: pg.Client;
  #highest: Sequences = {};

  constructor(url: string) {
    this.#client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    this.#client.on('error', () => {});
  }

  async *lines(account: string | undefined): AsyncGenerator<ContentLine> {
    const run: Run = async (text, values = []) =>
      (await this.#client.query(text, [...values])).rows;
    try {
      await this.#client.connect();
      await run(SNAPSHOT);
      yield* linesIn(run, account);
      // Sequences are outside of the snapshot: they are at least those of the records.
      this.#highest = await highestIn(run);
    } catch (error) {
      throw cannot('read', error);
    }
  }

  highest(): Sequences {
    return this.#highest;
  }

  remarks() {
    return [];
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

/** Everything is one transaction: an interrupted load leaves nothing behind. */
export class PostgresTarget implements DumpTarget {
  readonly givesIdsOnce = true;
  readonly #database: Database;

  constructor(url: string) {
    this.#database = new Database(url);
  }

  async load(dump: Loading) {
    const { head, highest } = dump;
    const expected = new Contents();
    try {
      await this.#database.transaction(expectSafeServer);
      await prepareSchema(this.#database);
      return await this.#database.transaction(async (run) => {
        await run('lock table records, audit_events in exclusive mode');
        const isEmpty = (await contentsIn(run)).records === 0;
        if (isEmpty) {
          let order = dump.records;
          // Before every number that an id may get: new records come after these.
          const positionOf = (line: RecordLine) =>
            head.source === 'postgres' ? line.position : -order--;
          for await (const { records, events } of batchesOf(dump.lines(), expected)) {
            await putRows(
              run,
              records.map((line) => {
                const { status } = storedFacts(line);
                return { ...line, status, position: positionOf(line) };
              }),
            );
            await run(PUT_EVENTS, [events.map(({ id }) => id), events.map(({ event }) => event)]);
          }
          await finishRows(run, highest);
          await run(NEXT_EVENT);
        } else {
          for await (const line of dump.lines()) await expected.add(line);
        }
        const totals = await expected.totals();
        if ((await contentsIn(run)).contents !== totals.contents) {
          throw new CommandError(
            isEmpty
              ? 'the database does not give back what was loaded; nothing was stored, load it again'
              : 'the database has other records; load into an empty one',
          );
        }
        return { wasThere: !isEmpty, totals };
      });
    } catch (error) {
      throw cannot('load into', error);
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

const PUT_EVENTS = `
  insert into audit_events (id, event) overriding system value
  select * from unnest($1::bigint[], $2::text[])`;
const NEXT_EVENT = `
  select setval(pg_get_serial_sequence('audit_events', 'id'), max(id)) from audit_events having max(id) > 0`;

async function contentsIn(run: Run) {
  const contents = new Contents();
  for await (const line of linesIn(run, undefined)) await contents.add(line);
  return contents.totals();
}

interface StoredRecord {
  readonly owner: string;
  readonly collection: CollectionName;
  readonly id: string;
  readonly position: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly body: string;
}

async function* linesIn(run: Run, account: string | undefined): AsyncGenerator<ContentLine> {
  const one = account === undefined ? null : toStored(account);
  const records = `
    select owner, collection, id, position, created_at, updated_at, body from records
     where $1::text is null or owner = $1 order by owner, collection, position`;
  for await (const row of fetched<StoredRecord>(run, records, [one])) {
    yield {
      collection: row.collection,
      id: fromStored(row.id),
      owner: row.owner === '' ? null : fromStored(row.owner),
      position: Number(row.position),
      created_at: Number(row.created_at),
      updated_at: Number(row.updated_at),
      body: row.body,
    };
  }
  const events = 'select id, event from audit_events order by id';
  for await (const { id, event } of fetched<{ id: string; event: string }>(run, events, [])) {
    const line = eventLine(Number(id), event);
    if (account === undefined || line.owner === account) yield line;
  }
}

async function* fetched<Row extends object>(
  run: Run,
  query: string,
  values: readonly unknown[],
): AsyncGenerator<Row> {
  await run(`declare dumped no scroll cursor for ${query}`, values);
  for (;;) {
    const rows = await run<Row>(`fetch ${FETCHED_ROWS} from dumped`);
    yield* rows;
    if (rows.length < FETCHED_ROWS) break;
  }
  await run('close dumped');
}

async function highestIn(run: Run): Promise<Sequences> {
  const highest: Partial<Record<CollectionName, number>> = byCollection(() => 0);
  for (const name of COLLECTION_NAMES) {
    const [row] = await run<{ highest: string }>(
      `select case when is_called then last_value else 0 end as highest from ${sequenceName(name)}`,
    );
    highest[name] = Number(row?.highest ?? 0);
  }
  return highest;
}

function cannot(what: string, error: unknown): Error {
  if (error instanceof CommandError) return error;
  return new CommandError(`cannot ${what} the Postgres database: ${reasonOf(error)}`, {
    cause: error,
  });
}
