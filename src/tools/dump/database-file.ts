// Dumps a database file (a backup, or that of a stopped service), and loads a dump into a new file.

import { existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { storedFacts } from '../../core/records/stored-facts.js';
import { syncFile } from '../../storage/disk-sync.js';
import { Connection } from '../../storage/file/connection.js';
import { explained, isBusy, messageOf } from '../../storage/file/connection-errors.js';
import { nameAgain, removeDatabase } from '../../storage/file/file-copy.js';
import { SCHEMA } from '../../storage/file/file-schema.js';
import { closeAsFound, hasLog } from '../../storage/file/open-marker.js';
import { assertIntegrity, assertSchema } from '../../storage/file/own-database.js';
import { ownerColumn, statusColumn } from '../../storage/file/record-columns.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../../storage/records-table.js';
import { CommandError } from '../data/failures.js';
import type { CheckedDump, ContentLine, Store } from './dump-file.js';
import { eventLine, recordLine } from './dump-file.js';

const OWNER_ONLY = 0o600;
/** A row can be as large as 2 MiB. */
const PAGE_ROWS = 50;

/**
 * Sorted on disk, so that memory holds only one page. The owner stays JSON text, which keeps apart
 * subjects that are the same in UTF-8.
 */
const PUT_IN_ORDER = `
  create temp table in_order as select position, case json_type(body, '$.owner_sub')
      when 'text' then nullif(body -> '$.owner_sub', '""') end as owner
    from records order by 2, 1`;
const ROWS = `
  select in_order.rowid as last, records.* from in_order
    join records on records.position = in_order.position
   where in_order.rowid > ?1 order by 1 limit ${PAGE_ROWS}`;
const EVENTS = `
  select id as last, event from audit_events where id > ?1 order by id limit ${PAGE_ROWS}`;

export const fileStore = (path: string): Store => ({
  kind: 'file',
  lines: () => linesIn(path),
  load: (dump) => load(dump, path),
});

/** Rejects with the reason if a running service holds the file, or would refuse to start on it. */
async function* linesIn(path: string): AsyncGenerator<ContentLine> {
  // Opening would create a missing file.
  await stat(path);
  const hadLog = hasLog(path);
  let connection: Connection | undefined;
  try {
    connection = new Connection(path);
    connection.value('pragma locking_mode = exclusive');
    assertSchema(connection);
    assertIntegrity(connection);
    connection.value('pragma temp_store = file');
    connection.value(PUT_IN_ORDER);
    for (const row of rowsOf(connection, ROWS)) yield recordLine(row);
    for (const row of rowsOf(connection, EVENTS)) {
      yield eventLine(Number(row['last']), String(row['event']));
    }
    yield { account: null, highest: JSON.parse(String(connection.value(LOAD_SEQUENCES))) };
  } catch (error) {
    const held = 'a running service holds it; stop it, or dump it with --from and its address';
    const reason = isBusy(messageOf(error)) ? held : explained(error);
    throw new CommandError(`cannot read ${path}: ${reason}`, { cause: error });
  } finally {
    if (connection !== undefined) closeAsFound(connection, path, hadLog);
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
async function load(dump: CheckedDump, path: string): Promise<undefined> {
  // SQLite would replay a leftover log into the new file.
  for (const taken of [path, `${path}-wal`, `${path}-journal`]) {
    if (existsSync(taken)) throw new CommandError(`${taken} already exists; name a new file`);
  }
  const file = `${path}.loading`;
  await removeDatabase(file);
  await (await open(file, 'wx', OWNER_ONLY)).close();
  const connection = new Connection(file);
  const run = (sql: string, value: unknown) =>
    connection.batch([{ sql, args: [JSON.stringify(value)] }]);
  try {
    // Nothing has to be durable before `syncFile` below.
    const pragmas = ['pragma journal_mode = memory', 'pragma synchronous = off'];
    for (const sql of [...pragmas, ...SCHEMA]) connection.value(sql);
    let last = 0;
    for await (const { records, events } of dump.batches()) {
      const rows = records.map((line) => {
        const { owner, status } = storedFacts({ ...line, position: 0 });
        const columns = { owner: ownerColumn(owner), status: statusColumn(status) };
        return { ...line, ...columns, position: ++last };
      });
      run(PUT_ROWS, rows);
      run(PUT_EVENTS, events);
    }
    run(PUT_SEQUENCES, dump.loaded.highest);
  } finally {
    connection.close();
  }
  await syncFile(file);
  await nameAgain(file, path);
  await removeDatabase(file);
}
