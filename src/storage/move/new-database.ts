// A database file made of accounts that were moved out of Workers. It is exactly such a
// file as the service makes, and gets its name only when it is whole, checked and on disk.

import { open, rm, stat } from 'node:fs/promises';
import type { JsonObject } from '../../core/domain/json.js';
import type { Sequences } from '../../core/records/record-storage.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import { checkDatabase } from '../backup/database-check.js';
import type { DatabaseContents } from '../backup/database-contents.js';
import { nameAgain, removeDatabase } from '../backup/file-copy.js';
import { syncFile } from '../disk-sync.js';
import { Connection } from '../file/connection.js';
import { APPEND_EVENTS, SCHEMA_STEPS } from '../file/file-schema.js';
import { ownerColumn, statusColumn } from '../file/record-columns.js';
import { PUT_SEQUENCES } from '../records-table.js';
import type { MovedRow } from './moved-rows.js';
import type { StagedRow } from './staged-move.js';

const OWNER_ONLY = 0o600;
const PUT_ROWS = `
  insert into records (position, collection, id, body, owner, status, created_at, updated_at)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
         value ->> 7
    from json_each(?1)`;

export class NewDatabase {
  readonly #path: string;
  readonly #connection: Connection;
  #position = 0;

  private constructor(path: string, connection: Connection) {
    this.#path = path;
    this.#connection = connection;
  }

  /** Begins a new file at the path; what a killed run has left there is removed. */
  static async begin(path: string): Promise<NewDatabase> {
    await removeDatabase(path);
    await (await open(path, 'wx', OWNER_ONLY)).close();
    const connection = new Connection(path);
    // A file that is not finished is begun again: it need not be on disk before its end.
    connection.value('pragma journal_mode = memory');
    connection.value('pragma synchronous = off');
    connection.batch(SCHEMA_STEPS.flat().map((sql) => ({ sql })));
    return new NewDatabase(path, connection);
  }

  /** Adds rows behind those that are there. */
  put(rows: readonly StagedRow[]): void {
    const placed = rows.map(({ row, newId }) => {
      const [collection, id, body, createdAt, updatedAt] = renamed(row, newId);
      this.#position++;
      const { owner, status } = storedFacts({ position: this.#position, collection, id, body });
      const columns = [ownerColumn(owner), statusColumn(status)];
      return [this.#position, collection, id, body, ...columns, createdAt, updatedAt];
    });
    this.#connection.batch([{ sql: PUT_ROWS, args: [JSON.stringify(placed)] }]);
  }

  /** `events`: JSON texts, oldest first. */
  append(events: readonly string[]): void {
    if (events.length === 0) return;
    this.#connection.batch([{ sql: APPEND_EVENTS, args: [JSON.stringify(events)] }]);
  }

  raise(sequences: Sequences): void {
    this.#connection.batch([{ sql: PUT_SEQUENCES, args: [JSON.stringify(sequences)] }]);
  }

  /** Resolves when the file is on disk, with what every page of it was found to hold. */
  async check(): Promise<DatabaseContents> {
    this.#connection.close();
    const contents = checkDatabase(this.#path);
    await syncFile(this.#path);
    return contents;
  }

  /** Gives the checked file its name. Rejects where a file has that name by now. */
  async name(path: string): Promise<void> {
    await nameAgain(this.#path, path);
    await rm(this.#path);
  }

  close(): void {
    this.#connection.close();
  }
}

/** Whether `path` is the finished file: `unnamed` has become it, or is about to. */
export async function isNamed(unnamed: string, path: string): Promise<boolean> {
  const inode = (place: string) =>
    stat(place, { bigint: true }).then(
      ({ ino }) => ino,
      () => undefined,
    );
  const [before, named] = [await inode(unnamed), await inode(path)];
  return named !== undefined && (before === undefined || before === named);
}

/** The row with its new id, in its text, too. */
function renamed(row: MovedRow, newId: string | undefined): MovedRow {
  if (newId === undefined) return row;
  const [collection, , body, createdAt, updatedAt] = row;
  const record: JsonObject = JSON.parse(body);
  record['id'] = newId;
  return [collection, newId, JSON.stringify(record), createdAt, updatedAt];
}
