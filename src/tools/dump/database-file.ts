// A database file as the source of a dump (a backup, or the database of a stopped service), and a
// new one as the target of a load.

import { open, stat } from 'node:fs/promises';
import { storedFacts } from '../../core/records/stored-facts.js';
import { codeOf, isThere, nameAgain, removeDatabase } from '../../storage/backup/file-copy.js';
import { syncFile } from '../../storage/disk-sync.js';
import { Connection } from '../../storage/file/connection.js';
import { explained, messageOf } from '../../storage/file/connection-errors.js';
import { SCHEMA_STEPS } from '../../storage/file/file-schema.js';
import { expectOurs, expectWhole } from '../../storage/file/own-database.js';
import { ownerColumn, statusColumn } from '../../storage/file/record-columns.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../../storage/records-table.js';
import { CommandError } from '../data/failures.js';
import { type CheckedDump, type DumpTarget, loadWhole } from './checked-dump.js';
import {
  batchesOf,
  type ContentLine,
  type DumpSource,
  eventLine,
  isEvent,
  isRecord,
  recordLine,
} from './lines.js';

const OWNER_ONLY = 0o600;
/** Each row may have 2 MiB. */
const PAGE_ROWS = 50;

/** The account as JSON, in which two subjects that UTF-8 cannot tell apart differ. */
const OWNER = `
  case json_type(body, '$.owner_sub') when 'text' then nullif(body -> '$.owner_sub', '""') end`;
/** `?1`: one account, or '' for all rows. Sorted on disk, so memory holds a page. */
const PUT_IN_ORDER = `
  insert into in_order (position)
  select position from (select position, ${OWNER} as owner from records)
   where ?1 = '' or owner = ?1 order by owner, position`;
const ROWS = `
  select row as last, records.position, collection, id, body, created_at, updated_at
    from in_order join records on records.position = in_order.position
   where row > ?1 order by row limit ?2`;
const EVENTS = 'select id as last, event from audit_events where id > ?1 order by id limit ?2';
const FIND_SEQUENCES = "select name from sqlite_master where type = 'table' and name = 'sequences'";

export function fileSource(path: string): DumpSource {
  return { kind: 'file', lines: (account) => linesIn(path, account) };
}

/** Rejects, with a sentence, if a service holds the file or would not start on it. */
async function opened(path: string): Promise<Connection> {
  let connection: Connection | undefined;
  try {
    if (!(await stat(path)).isFile()) throw new Error('it is not a file');
    connection = new Connection(path);
    connection.value('pragma locking_mode = exclusive');
    expectOurs(connection);
    expectWhole(connection);
    return connection;
  } catch (error) {
    connection?.close();
    throw new CommandError(`cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

async function* linesIn(path: string, account?: string): AsyncGenerator<ContentLine> {
  const connection = await opened(path);
  try {
    connection.value('pragma temp_store = file');
    connection.value('create temp table in_order (row integer primary key, position integer)');
    connection.value(PUT_IN_ORDER, [account === undefined ? '' : JSON.stringify(account)]);
    for (const row of rowsOf(connection, ROWS)) yield recordLine(row);
    for (const row of rowsOf(connection, EVENTS)) {
      const line = eventLine(Number(row['last']), String(row['event']));
      if (account === undefined || line.owner === account) yield line;
    }
    // The first version of the schema has no such table.
    if (connection.value(FIND_SEQUENCES) === undefined) return;
    yield { account: null, highest: JSON.parse(String(connection.value(LOAD_SEQUENCES))) };
  } finally {
    connection.close();
  }
}

function* rowsOf(connection: Connection, sql: string) {
  for (let last = 0; ; ) {
    const rows = connection.rows(sql, [last, PAGE_ROWS]);
    yield* rows;
    if (rows.length < PAGE_ROWS) return;
    last = Number(rows.at(-1)?.['last']);
  }
}

function reasonOf(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return 'there is no such file; check the path';
  if (codeOf(error) === 'EACCES') return 'this user may not read it';
  if (/SQLITE_BUSY|database is locked/i.test(messageOf(error))) {
    return 'a running service holds it; stop the service, or name a backup, or dump the running service with --from and its address';
  }
  return explained(error);
}

const PUT_ROWS = `
  insert into records (position, collection, id, body, owner, status, created_at, updated_at)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
         value ->> 7
    from json_each(?1)`;
const PUT_EVENTS =
  'insert into audit_events (id, event) select value ->> 0, value ->> 1 from json_each(?1)';

/**
 * Makes a database file beside the path and gives it its name when it is whole, checked and on
 * disk. A killed load leaves a file that the next one removes.
 */
export function fileTarget(path: string): DumpTarget {
  return {
    givesIdsOnce: true,
    async load(dump) {
      const wasThere = await isThere(path);
      const file = wasThere ? path : `${path}.loading`;
      const lines = () => linesIn(file);
      const loaded = await loadWhole(dump, wasThere, {
        put: () => put(dump, file),
        lines,
        name: file,
      });
      if (wasThere) return loaded;
      await syncFile(file);
      await nameAgain(file, path);
      await removeDatabase(file);
      return loaded;
    },
  };
}

async function put(dump: CheckedDump, path: string): Promise<void> {
  await removeDatabase(path);
  await (await open(path, 'wx', OWNER_ONLY)).close();
  const connection = new Connection(path);
  try {
    // An unfinished file is made again, so only its end must be on disk.
    for (const pragma of ['journal_mode = memory', 'synchronous = off']) {
      connection.value(`pragma ${pragma}`);
    }
    const run = (sql: string, rows: unknown) =>
      connection.batch([{ sql, args: [JSON.stringify(rows)] }]);
    connection.batch(SCHEMA_STEPS.flat().map((sql) => ({ sql })));
    let last = 0;
    for await (const batch of batchesOf(dump.lines())) {
      const rows = batch.filter(isRecord).map((line) => {
        const { collection, id, body, created_at, updated_at } = line;
        // Positions of another kind of storage are unique within an account alone.
        last = dump.source === 'file' ? line.position : last + 1;
        const { owner, status } = storedFacts(line);
        const columns = [ownerColumn(owner), statusColumn(status), created_at, updated_at];
        return [last, collection, id, body, ...columns];
      });
      run(PUT_ROWS, rows);
      const events = batch.filter(isEvent).map(({ id, event }) => [id, event]);
      run(PUT_EVENTS, events);
    }
    run(PUT_SEQUENCES, dump.highest);
  } finally {
    connection.close();
  }
}
