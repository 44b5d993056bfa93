// Dumps a Postgres database, or loads into an empty one, in one transaction: a dump is a consistent
// snapshot despite concurrent writes, and an interrupted load leaves nothing behind.

import pg from 'pg';
import { type DumpLine, isEvent, isRecord, recordLine } from '../../storage/dump/dump-lines.js';
import { rowColumns } from '../../storage/postgres/columns.js';
import { connectionOptions, Database, reasonOf } from '../../storage/postgres/database.js';
import {
  advanceSequences,
  PUT_ROWS,
  PUT_TOTALS,
  prepareSchema,
} from '../../storage/postgres/schema.js';
import { readDump, type Store } from './dump-file.js';

/** Rows or lines, of up to 2 MiB. */
const BATCH = 50;
/** Loaded records get positions below 0, so that new records come after them. */
const LOADED_MAX = 1e12;

/** In the order in which they were loaded, so that the digest is that of their source. */
const RECORDS = `
  select collection, id, position, created_at, updated_at, body from records order by position, collection, id`;
/** Renumbered, because rolled-back statements leave gaps, and a file counts its events by their ids. */
const EVENTS = 'select row_number() over (order by id) as id, event from audit_events order by id';
const SEQUENCES = `
  select json_object_agg(replace(sequencename, '_numbers', ''), last_value) as highest from pg_sequences
   where schemaname = current_schema() and sequencename like '%\\_numbers' and last_value > 0`;
const PUT_SEQUENCES =
  "select setval(key || '_numbers', value::bigint) from json_each_text($1::json)";
const PUT_EVENTS = `
  insert into audit_events overriding system value
  select * from json_populate_recordset(null::audit_events, $1)`;

const toError = (error: unknown) =>
  new Error(`cannot use the Postgres database: ${reasonOf(error)}`, { cause: error });

export const postgresStore = (url: string): Store => ({
  async *lines() {
    const client = new pg.Client(connectionOptions(url));
    client.on('error', () => {});
    const run = async (text: string) => (await client.query(text)).rows;
    async function* fetched(query: string) {
      await run(`declare dumped no scroll cursor for ${query}`);
      for (;;) {
        const rows = await run(`fetch ${BATCH} from dumped`);
        yield* rows;
        if (rows.length < BATCH) return run('close dumped');
      }
    }
    try {
      await client.connect();
      await run('begin isolation level repeatable read read only');
      for await (const row of fetched(RECORDS)) yield recordLine(row);
      for await (const { id, event } of fetched(EVENTS)) yield { id, event };
      // Sequences are not part of the snapshot, but never lag behind its records.
      const [found] = await run(SEQUENCES);
      yield { highest: found?.['highest'] ?? {} };
    } catch (error) {
      throw toError(error);
    } finally {
      await client.end();
    }
  },

  async load(path, highest) {
    const database = new Database(url);
    try {
      await prepareSchema(database);
      await database.transaction(async (run) => {
        await run('lock table records, audit_events in exclusive mode');
        if ((await run('select from records limit 1')).length > 0) {
          throw new Error(
            'it has records already; load into an empty one, or dump it to compare its contents',
          );
        }
        let position = -LOADED_MAX;
        let batch: DumpLine[] = [];
        const put = async () => {
          const rows = batch.filter(isRecord).map((row) => {
            return { ...row, ...rowColumns({ ...row, position: ++position }) };
          });
          await run(PUT_ROWS, [JSON.stringify(rows)]);
          await run(PUT_EVENTS, [JSON.stringify(batch.filter(isEvent))]);
          batch = [];
        };
        for await (const line of readDump(path)) if (batch.push(line) === BATCH) await put();
        await put();
        await run(PUT_TOTALS);
        await run(PUT_SEQUENCES, [JSON.stringify(highest)]);
        await advanceSequences(run);
      });
    } catch (error) {
      throw toError(error);
    } finally {
      await database.close();
    }
  },
});
