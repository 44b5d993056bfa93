// One libSQL database file, held exclusively by one connection, or, with a replica,
// open to Litestream beside it. It runs in the storage thread, because the client's promises hide synchronous work. What it
// relies on in the client is pinned by test/storage/file/client-habits.

import { closeSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, type InStatement, LibsqlBatchError } from '@libsql/client';
import { DATABASE_BUSY_TIMEOUT_MS } from '../../domain/limits.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../audit-pages.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../records-table.js';
import { explained, messageOf } from './client-errors.js';
import { type Holding, lockingOf, pragmaOf, putInForce } from './connection-settings.js';
import {
  APPEND_EVENTS,
  APPLICATION_ID,
  COUNT_PRESENT,
  PUT_ROWS,
  REMOVE_ROWS,
  SCHEMA_STEPS,
  SCHEMA_VERSION,
  TOUCH,
} from './file-schema.js';
import { Freezer } from './freezer.js';
import { type FilePage, loadPage } from './record-pages.js';
import { DISTRUST_SCHEMA, expectOwnSchema } from './schema-check.js';
import { UsageScan } from './usage-scan.js';
import { distrustIndex, rewriteLog } from './write-ahead-log.js';

/** The changes of a commit as JSON texts. The thread passes them to the database without parsing them. */
export interface CommitTexts {
  /** Array of `[position, collection, id, body]`. */
  readonly puts: string;
  /** Array of positions. */
  readonly removals: string;
  /** Object: the highest number by collection. */
  readonly sequences: string;
  /** Array of objects; an empty text if there are none. */
  readonly events: string;
  readonly changeCount: number;
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
}

const NO_CHANGES: CommitTexts = {
  sequences: '{}',
  puts: '[]',
  removals: '[]',
  events: '',
  changeCount: 0,
  at: 0,
};

export type FileCommitResult =
  | { readonly status: 'committed'; readonly auditError?: string }
  | { readonly status: 'kept'; readonly auditError?: string; readonly error: string }
  | { readonly status: 'absent' | 'present' | 'unknown' | 'refused'; readonly error: string };

export class LibsqlFile {
  readonly #client: Client;
  readonly #path: string;
  readonly #holding: Holding;
  /** Descriptor of the log's index, open as long as the connection. */
  #index: number | undefined;
  /** Keeps the file as it is while it is copied. */
  readonly freezer: Freezer;
  /** Counts what the file holds. */
  readonly usage: UsageScan;

  private constructor(client: Client, path: string, holding: Holding) {
    this.#client = client;
    this.#path = path;
    this.#holding = holding;
    this.freezer = new Freezer(client, path);
    this.usage = new UsageScan(client);
  }

  /**
   * Opens or creates the file and locks it for this process. `initialRows`: JSON of
   * the rows of a new file; `now`: the time of their creation. Rejects with one
   * sentence for the operator if another process holds the file, or if it is
   * damaged, of another program or newer than this program.
   */
  static async open(
    url: string,
    initialRows: string,
    now: number,
    holding: Holding,
  ): Promise<LibsqlFile> {
    let client: Client | undefined;
    let file: LibsqlFile | undefined;
    try {
      const path = fileURLToPath(url);
      const inode = inodeOf(path);
      // One connection, not the default pool: a PRAGMA reaches only the connection that runs it.
      client = createClient({ url, concurrency: 1, timeout: DATABASE_BUSY_TIMEOUT_MS });
      file = new LibsqlFile(client, path, holding);
      await file.#claim(inode);
      // The process before this one may have ended because a sync failed, or in the middle of a commit.
      await file.#rewriteLog({ isStart: true });
      await file.#check();
      await file.#migrate(initialRows, now);
      return file;
    } catch (error) {
      if (file === undefined) client?.close();
      else file.close();
      throw new Error(explained(error), { cause: error });
    }
  }

  async commit(texts: CommitTexts): Promise<FileCommitResult> {
    await this.usage.before(texts.puts, texts.removals);
    const rows = statements(texts);
    const events: InStatement[] =
      texts.events === '' ? [] : [{ sql: APPEND_EVENTS, args: [texts.events] }];
    try {
      await this.#client.batch([...rows, ...events], 'write');
      return { status: 'committed' };
    } catch (error) {
      // "If the audit write fails …, the change stands." Only the events' statement failed.
      if (error instanceof LibsqlBatchError && error.statementIndex === rows.length) {
        const result = await this.commit({ ...texts, events: '' });
        return result.status === 'committed' ? { ...result, auditError: messageOf(error) } : result;
      }
      const reason = messageOf(error);
      return { status: await this.#stateAfterFailure(texts, reason), error: reason };
    }
  }

  loadPage(position: number): Promise<FilePage | undefined> {
    return loadPage(this.#client, position);
  }

  /** Object: the highest number by collection. */
  async sequences(): Promise<string> {
    return String((await this.#one(LOAD_SEQUENCES))?.['sequences']);
  }

  async auditEvents(limit: number, offset: number): Promise<{ items: string[]; total: number }> {
    const total = Number((await this.#one(TOTAL_EVENTS))?.['total']);
    const { rows } = await this.#client.execute({ sql: LIST_EVENTS, args: [limit, offset] });
    return { items: rows.map((row) => String(row['event'])), total };
  }

  async ping(): Promise<void> {
    await this.#one('select count(*) from sqlite_master');
  }

  /** A commit that changes nothing. Rejects where it is not on disk. */
  async touch(): Promise<void> {
    try {
      await this.#client.batch([TOUCH], 'write');
    } catch (error) {
      // The connection, its settings and the log need the same care as after a commit that failed.
      await this.#stateAfterFailure(NO_CHANGES, messageOf(error));
      throw error;
    }
  }

  /** Bytes of the log beside the file; 0 where there is none. */
  get logBytes(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /**
   * Writes the log back into the file and empties it, which only Litestream may do
   * while it runs. Resolves with whether it is done: not while another process reads the file.
   */
  async emptyLog(): Promise<boolean> {
    const row = await this.#one('pragma wal_checkpoint(truncate)');
    return row?.['busy'] === 0;
  }

  /** Writes the log back into the database file, unless Litestream has it open, and releases it. */
  close(): void {
    this.#client.close();
    if (this.#index !== undefined) closeSync(this.#index);
    this.#index = undefined;
  }

  /** Reads before it writes, so that another program's file is refused unchanged. */
  async #claim(inode: bigint): Promise<void> {
    await this.#client.execute(DISTRUST_SCHEMA);
    await this.#client.execute(lockingOf(this.#holding));
    const tables = Number((await this.#one('select count(*) as n from sqlite_master'))?.['n']);
    // The lock is on the file that was opened; meanwhile a restore may have put another file in its
    // place.
    if (inodeOf(this.#path) !== inode) throw new Error('it was just replaced; start again');
    const application = Number(await this.#pragma('application_id'));
    const version = Number(await this.#pragma('user_version'));
    const isNew = tables === 0 && application === 0 && version === 0;
    if (!isNew && application !== APPLICATION_ID) {
      throw new Error('it is a SQLite database of another program; name another file');
    }
    if (version > SCHEMA_VERSION) {
      throw new Error(
        `its schema has version ${version}, this program knows up to ${SCHEMA_VERSION}; run a newer release`,
      );
    }
    // Before anything else is read, so that a foreign view or trigger never runs.
    await expectOwnSchema(this.#client, version);
    await this.#configure();
  }

  /** One sync for each commit, before it is acknowledged. */
  async #configure(): Promise<void> {
    await putInForce(this.#client, this.#holding);
    // A batch fails loudly where a single statement may seem to succeed; it also takes the lock.
    await this.#client.batch(['select 1'], 'write');
  }

  /** Nobody else may write to the log meanwhile. */
  async #rewriteLog({ isStart = false } = {}): Promise<void> {
    if (this.#holding === 'alone') return rewriteLog(this.#path);
    const holding = await this.#client.transaction('write');
    try {
      await rewriteLog(this.#path);
      if (isStart) this.#index = distrustIndex(this.#path);
    } finally {
      holding.close();
    }
  }

  async #check(): Promise<void> {
    const report = String(await this.#pragma('quick_check'));
    if (report === 'ok') return;
    const finding = report.replaceAll(/\s+/g, ' ');
    throw new Error(`the integrity check found damage (${finding}); restore a backup`);
  }

  async #migrate(initialRows: string, now: number): Promise<void> {
    const version = Number(await this.#pragma('user_version'));
    for (let step = version; step < SCHEMA_VERSION; step++) {
      const sow = step === 0 ? [{ sql: PUT_ROWS, args: [initialRows, now] }] : [];
      await this.#client.batch([...(SCHEMA_STEPS[step] ?? []), ...sow], 'write');
    }
  }

  /**
   * Whether the file has a commit that failed. The client may have opened a new
   * connection, without lock and settings, so these are set first.
   */
  async #stateAfterFailure(
    texts: CommitTexts,
    reason: string,
  ): Promise<'absent' | 'present' | 'unknown'> {
    try {
      if (this.#holding === 'shared' && isBusy(reason)) {
        // The commit did not begin. A connection that has met a lock fails from then on.
        await this.#client.reconnect();
        await putInForce(this.#client, this.#holding);
        return 'absent';
      }
      await this.#configure();
      if (!isDiskFull(reason)) {
        // The failed commit may be in the log, complete but not synced, and the next start would
        // find it. The next commit overwrites it there, so one is made at once.
        await this.#client.batch([TOUCH], 'write');
        await this.#rewriteLog();
      }
      const row = await this.#one(COUNT_PRESENT, [texts.puts, texts.at, texts.removals]);
      return Number(row?.['present']) === texts.changeCount ? 'present' : 'absent';
    } catch {
      return 'unknown';
    }
  }

  async #one(sql: string, args: (string | number)[] = []) {
    return (await this.#client.execute({ sql, args })).rows[0];
  }

  #pragma(name: string): Promise<unknown> {
    return pragmaOf(this.#client, name);
  }
}

function inodeOf(path: string): bigint {
  return statSync(path, { bigint: true }).ino;
}

function statements({ puts, removals, sequences, at }: CommitTexts): InStatement[] {
  return [
    { sql: PUT_ROWS, args: [puts, at] },
    { sql: REMOVE_ROWS, args: [removals] },
    { sql: PUT_SEQUENCES, args: [sequences] },
  ].filter(({ args }) => args[0] !== '[]' && args[0] !== '{}');
}

/** Another process held the write lock for longer than the busy time-out. */
function isBusy(reason: string): boolean {
  return reason.startsWith('SQLITE_BUSY');
}

/** The disk had no room for the whole commit, so none of it is in the log as a commit. */
function isDiskFull(reason: string): boolean {
  return reason.startsWith('SQLITE_FULL');
}
