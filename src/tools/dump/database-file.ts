// Dumps a database file (a backup, or that of a stopped service), and loads a dump into a new file.

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Sequences, StoredRow } from '../../core/records/record-storage.js';
import { columnsOf } from '../../core/records/stored-row.js';
import { type DumpLine, recordLine } from '../../storage/dump/dump-lines.js';
import { Connection } from '../../storage/file/connection.js';
import { explained, isBusy, messageOf } from '../../storage/file/connection-errors.js';
import {
  makeEmpty,
  nameAgain,
  removeDatabase,
  syncFile,
} from '../../storage/file/durable-files.js';
import { placeOf } from '../../storage/file/file-place.js';
import { SCHEMA } from '../../storage/file/file-schema.js';
import { assertIntegrity, openDatabase } from '../../storage/file/own-database.js';
import { ownerColumn, statusColumn } from '../../storage/file/stored-rows.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../../storage/records-table.js';
import { CommandError } from '../data/failures.js';
import { batchesOf, type Store } from './dump-file.js';

/** A row can be as large as 2 MiB. */
const PAGE_ROWS = 50;

const ROWS = `
  select position as last, * from records where position > ?1 order by position limit ${PAGE_ROWS}`;
const EVENTS = `
  select id as last, event from audit_events where id > ?1 order by id limit ${PAGE_ROWS}`;

export const fileStore = (path: string): Store => ({
  lines: () => linesIn(path),
  load: (dump, highest) => load(dump, highest, path),
});

/** Rejects with the reason if a running service holds the file, or would refuse to start on it. */
async function* linesIn(path: string): AsyncGenerator<DumpLine> {
  // Outside the `try`: a missing file has a sentence of its own.
  await stat(path);
  let connection: Connection | undefined;
  try {
    ({ connection } = openDatabase(await placeOf(path)));
    assertIntegrity(connection);
    for (const row of rowsOf(connection, ROWS)) yield recordLine(row);
    for (const { last, event } of rowsOf(connection, EVENTS)) {
      yield { id: Number(last), event: String(event) };
    }
    yield { highest: JSON.parse(String(connection.value(LOAD_SEQUENCES))) };
  } catch (error) {
    const held = 'a running service holds it; stop it, or dump it with --from and its address';
    const reason = isBusy(messageOf(error)) ? held : explained(error);
    throw new CommandError(`cannot read ${path}: ${reason}`, { cause: error });
  } finally {
    connection?.close();
  }
}

function* rowsOf(connection: Connection, sql: string) {
  for (let last = 0; ; ) {
    const rows = connection.rows(sql, [last]);
    yield* rows;
    if (rows.length < PAGE_ROWS) return;
    last = Number(rows.at(-1)?.['last']);
  }
}

const PUT_ROWS = `
  insert into records (position, collection, id, body, owner, status, created_at, updated_at)
  select value ->> 'position', value ->> 'collection', value ->> 'id', value ->> 'body',
         value ->> 'owner', value ->> 'status', value ->> 'created_at', value ->> 'updated_at'
    from json_each(?1)`;
const PUT_EVENTS = `
  insert into audit_events (id, event) select value ->> 'id', value ->> 'event' from json_each(?1)`;

/** A killed load leaves only a `.loading` file, which the next load removes. */
async function load(dump: string, highest: Sequences, path: string): Promise<void> {
  // SQLite would replay a leftover log into the new file.
  for (const taken of [path, `${path}-wal`, `${path}-journal`]) {
    if (existsSync(taken)) throw new CommandError(`${taken} already exists; name a new file`);
  }
  const file = `${path}.loading`;
  await removeDatabase(file);
  makeEmpty(file);
  const connection = new Connection(file);
  try {
    // Nothing in the file has to be durable yet.
    const pragmas = ['pragma journal_mode = memory', 'pragma synchronous = off'];
    for (const sql of [...pragmas, ...SCHEMA]) connection.value(sql);
    const putRow = (row: StoredRow) => {
      const { owner, status } = columnsOf(row);
      return { ...row, owner: ownerColumn(owner), status: statusColumn(status) };
    };
    const put = (sql: string, value: unknown) => [sql, JSON.stringify(value)] as const;
    for await (const { records, events } of batchesOf(dump)) {
      connection.batch([put(PUT_ROWS, records.map(putRow)), put(PUT_EVENTS, events)]);
    }
    connection.batch([put(PUT_SEQUENCES, highest)]);
  } finally {
    connection.close();
  }
  syncFile(file);
  nameAgain(file, path);
  await removeDatabase(file);
}
