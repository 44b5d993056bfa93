// Dumps a database file (a backup, or that of a stopped service), and loads a dump into a new file.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { columnsOf } from '../../core/records/stored-row.js';
import { isEvent, isRecord, recordLine } from '../../storage/dump/dump-lines.js';
import { Connection } from '../../storage/file/connection.js';
import { explained, isBusy, messageOf } from '../../storage/file/connection-errors.js';
import { resolveDatabasePath } from '../../storage/file/database-path.js';
import { makeEmpty, syncFolder } from '../../storage/file/durable-files.js';
import { SCHEMA } from '../../storage/file/file-schema.js';
import { assertIntegrity, openDatabase } from '../../storage/file/open-database.js';
import { ownerColumn, statusColumn } from '../../storage/file/stored-rows.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../../storage/records-table.js';
import { readDump, type Store } from './dump-file.js';

/** A row can be as large as 2 MiB. */
const PAGE_ROWS = 50;

const ROWS = `
  select position as last, * from records where position > ?1 order by position limit ${PAGE_ROWS}`;
const EVENTS = `
  select id as last, event from audit_events where id > ?1 order by id limit ${PAGE_ROWS}`;
const PUT_ROW = 'insert into records values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)';
const PUT_EVENT = 'insert into audit_events values (?1, ?2)';

function* rowsOf(connection: Connection, sql: string) {
  for (let last = 0; ; ) {
    const rows = connection.rows(sql, [last]);
    yield* rows;
    if (rows.length < PAGE_ROWS) return;
    last = Number(rows.at(-1)?.['last']);
  }
}

export const fileStore = (path: string): Store => ({
  /** Rejects with the reason if a running service holds the file, or the file is damaged or foreign. */
  async *lines() {
    let connection: Connection | undefined;
    try {
      ({ connection } = openDatabase(await resolveDatabasePath(path)));
      assertIntegrity(connection);
      for (const row of rowsOf(connection, ROWS)) yield recordLine(row);
      for (const { last, event } of rowsOf(connection, EVENTS)) {
        yield { id: Number(last), event: String(event) };
      }
      yield { highest: JSON.parse(String(connection.value(LOAD_SEQUENCES))) };
    } catch (error) {
      const held = 'a running service holds it; stop it, or dump it with --from and its address';
      const reason = isBusy(messageOf(error)) ? held : explained(error);
      throw new Error(`cannot read ${path}: ${reason}`, { cause: error });
    } finally {
      connection?.close();
    }
  },

  /** In one transaction: an interrupted load leaves an empty file, which the next load accepts. */
  async load(dump, highest) {
    const file = await resolveDatabasePath(path);
    // SQLite would remove the log of an empty file.
    if (existsSync(`${file}-wal`)) throw new Error(`${file}-wal already exists; name a new file`);
    makeEmpty(file);
    const connection = new Connection(file);
    try {
      connection.value('begin exclusive');
      if (connection.value('select 1 from sqlite_master')) {
        throw new Error(`${path} already has tables; name a new file`);
      }
      for (const sql of SCHEMA) connection.value(sql);
      let position = 0;
      for await (const line of readDump(dump)) {
        if (isEvent(line)) connection.rows(PUT_EVENT, [line.id, line.event]);
        if (!isRecord(line)) continue;
        const { collection, id, body, created_at, updated_at } = line;
        const { owner, status } = columnsOf({ ...line, position: ++position });
        const columns = [created_at, updated_at, ownerColumn(owner), statusColumn(status)];
        connection.rows(PUT_ROW, [position, collection, id, body, ...columns]);
      }
      connection.rows(PUT_SEQUENCES, [JSON.stringify(highest)]);
      connection.value('commit');
      // Otherwise a power cut may restore the journal, and so the empty file.
      syncFolder(dirname(file));
    } finally {
      connection.close();
    }
  },
});
