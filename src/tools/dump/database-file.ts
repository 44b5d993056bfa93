// A database file as the source of a dump: a backup, or the database of a stopped service; and a
// new database file as the target of a load.

import { open, stat } from 'node:fs/promises';
import {
  byCollection,
  type CollectionName,
  isCollectionName,
} from '../../core/domain/collection-name.js';
import { sequenceOf } from '../../core/domain/identifier.js';
import { objectIn } from '../../core/json-line.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import { checkDatabase } from '../../storage/backup/database-check.js';
import { codeOf, isThere, nameAgain, removeDatabase } from '../../storage/backup/file-copy.js';
import { syncFile } from '../../storage/disk-sync.js';
import { Connection } from '../../storage/file/connection.js';
import { explained, messageOf } from '../../storage/file/connection-errors.js';
import { SCHEMA_STEPS } from '../../storage/file/file-schema.js';
import { expectOurs, expectWhole } from '../../storage/file/own-database.js';
import { ownerColumn, statusColumn } from '../../storage/file/record-columns.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../../storage/records-table.js';
import { CommandError } from '../data/failures.js';
import { batchesOf, type DumpTarget, type Loading } from './checked-dump.js';
import {
  type ContentLine,
  Contents,
  type DumpSource,
  type EventLine,
  type RecordLine,
} from './lines.js';

const OWNER_ONLY = 0o600;
const PAGE_ROWS = 1_000;
const PAGE_BYTES = 8_000_000;

/** The account as JSON, in which two subjects that UTF-8 cannot tell apart differ. */
const OWNER = `
  case json_type(body, '$.owner_sub') when 'text' then nullif(body -> '$.owner_sub', '""') end`;
/** `?1`: one account, or '' for all rows. Sorted on disk, so memory holds a page. */
const PUT_IN_ORDER = [
  'pragma temp_store = file',
  'create temp table in_order (row integer primary key, position integer, bytes integer)',
  `insert into in_order (position, bytes)
   select position, octet_length(body) from (select position, body, ${OWNER} as owner from records)
    where ?1 = '' or owner = ?1 order by owner, position`,
] as const;
const SIZES = 'select row, bytes from in_order where row > ?1 order by row limit ?2';
const ROWS = `
  select records.position, collection, id, body, created_at, updated_at
    from in_order join records on records.position = in_order.position
   where row > ?1 and row <= ?2 order by row`;
const EVENTS = 'select id, event from audit_events where id > ?1 order by id limit ?2';
const FIND_SEQUENCES = "select name from sqlite_master where type = 'table' and name = 'sequences'";

export class FileSource implements DumpSource {
  readonly kind = 'file';
  readonly #connection: Connection;
  readonly #highest = byCollection(() => 0);

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Rejects, with a sentence, if a service holds the file or would not start on it. */
  static async open(path: string): Promise<FileSource> {
    let connection: Connection | undefined;
    try {
      if (!(await stat(path)).isFile()) throw new Error('it is not a file');
      connection = new Connection(path);
      connection.value('pragma locking_mode = exclusive');
      expectOurs(connection);
      expectWhole(connection);
      return new FileSource(connection);
    } catch (error) {
      connection?.close();
      throw new CommandError(`cannot read ${path}: ${reasonOf(error)}`, { cause: error });
    }
  }

  async *lines(account: string | undefined): AsyncGenerator<ContentLine> {
    const [storeTemporary, create, fill] = PUT_IN_ORDER;
    for (const sql of [storeTemporary, create]) this.#connection.value(sql);
    this.#connection.value(fill, [account === undefined ? '' : JSON.stringify(account)]);
    for (const rows of this.#pages()) for (const line of rows) yield this.#seen(line);
    yield* this.#events(account);
    if (this.#connection.value(FIND_SEQUENCES) === undefined) return;
    const stored = JSON.parse(String(this.#connection.value(LOAD_SEQUENCES)));
    for (const [name, highest] of Object.entries(stored)) {
      if (isCollectionName(name)) this.#raise(name, Number(highest));
    }
  }

  highest() {
    return Object.fromEntries(Object.entries(this.#highest).filter(([, highest]) => highest > 0));
  }

  remarks() {
    return [];
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  *#pages(): Generator<RecordLine[]> {
    for (let last = 0; ; ) {
      const sizes = this.#connection.rows(SIZES, [last, PAGE_ROWS]);
      if (sizes.length === 0) return;
      let bytes = 0;
      let end = last;
      for (const row of sizes) {
        bytes += Number(row['bytes']);
        if (bytes > PAGE_BYTES && end > last) break;
        end = Number(row['row']);
      }
      yield this.#connection.rows(ROWS, [last, end]).map((row): RecordLine => {
        const position = Number(row['position']);
        const collection = String(row['collection']) as CollectionName;
        const body = String(row['body']);
        const facts = storedFacts({ position, collection, id: String(row['id']), body });
        const [created_at, updated_at] = [Number(row['created_at']), Number(row['updated_at'])];
        const { id, owner = null } = facts;
        return { collection, id, owner, position, created_at, updated_at, body };
      });
      last = end;
    }
  }

  *#events(account: string | undefined): Generator<EventLine> {
    for (let last = 0; ; ) {
      const rows = this.#connection.rows(EVENTS, [last, PAGE_ROWS]);
      for (const row of rows) {
        last = Number(row['id']);
        const line = eventLine(last, String(row['event']));
        if (account === undefined || line.owner === account) yield line;
      }
      if (rows.length < PAGE_ROWS) return;
    }
  }

  #seen(line: RecordLine): RecordLine {
    this.#raise(line.collection, sequenceOf(line.collection, line.id));
    return line;
  }

  #raise(collection: CollectionName, highest: number): void {
    this.#highest[collection] = Math.max(this.#highest[collection], highest);
  }
}

/** Throws if the text is not an audit event. */
export function eventLine(id: number, event: string): EventLine {
  const { owner_sub: owner, timestamp } = (objectIn(event) ?? {}) as Record<string, unknown>;
  if (typeof owner === 'string' && typeof timestamp === 'string') return { id, owner, event };
  throw new CommandError(`the audit event ${id} cannot be read; restore a backup`);
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
export class FileTarget implements DumpTarget {
  readonly givesIdsOnce = true;
  readonly #path: string;
  #position = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async load(dump: Loading) {
    const { head, highest } = dump;
    const expected = new Contents();
    if (await isThere(this.#path)) {
      for await (const line of dump.lines()) await expected.add(line);
      await expectSame(this.#path, expected, `${this.#path} already exists; name a new file`);
      return { wasThere: true, totals: await expected.totals() };
    }
    const unnamed = `${this.#path}.loading`;
    await removeDatabase(unnamed);
    await (await open(unnamed, 'wx', OWNER_ONLY)).close();
    const connection = new Connection(unnamed);
    try {
      // An unfinished file is made again, so only its end must be on disk.
      for (const pragma of ['journal_mode = memory', 'synchronous = off']) {
        connection.value(`pragma ${pragma}`);
      }
      connection.batch(SCHEMA_STEPS.flat().map((sql) => ({ sql })));
      const put = (sql: string, rows: readonly unknown[]) =>
        connection.batch([{ sql, args: [JSON.stringify(rows)] }]);
      const keepsPositions = head.source === 'file';
      for await (const { records, events } of batchesOf(dump.lines(), expected)) {
        put(
          PUT_ROWS,
          records.map((line) => this.#columns(line, keepsPositions)),
        );
        put(
          PUT_EVENTS,
          events.map(({ id, event }) => [id, event]),
        );
      }
      connection.batch([{ sql: PUT_SEQUENCES, args: [JSON.stringify(highest)] }]);
    } finally {
      connection.close();
    }
    checkDatabase(unnamed);
    await expectSame(unnamed, expected, `${unnamed} is not what was loaded; load it again`);
    await syncFile(unnamed);
    await nameAgain(unnamed, this.#path);
    await removeDatabase(unnamed);
    return { wasThere: false, totals: await expected.totals() };
  }

  async close(): Promise<void> {}

  /** Positions of another kind of storage are unique within an account alone. */
  #columns(line: RecordLine, keepsPosition: boolean): unknown[] {
    const { collection, id, body, created_at, updated_at } = line;
    this.#position = keepsPosition ? line.position : this.#position + 1;
    const { owner, status } = storedFacts({ position: this.#position, collection, id, body });
    const found = [ownerColumn(owner), statusColumn(status)];
    return [this.#position, collection, id, body, ...found, created_at, updated_at];
  }
}

async function expectSame(path: string, expected: Contents, sentence: string): Promise<void> {
  const found = new Contents();
  const file = await FileSource.open(path);
  try {
    for await (const line of file.lines(undefined)) await found.add(line);
  } finally {
    await file.close();
  }
  const [is, wanted] = [await found.totals(), await expected.totals()];
  if (is.contents !== wanted.contents) throw new CommandError(sentence);
}
