// One libSQL database file, held exclusively by one connection. With a replica, Litestream
// may open the file, too. This code runs in the storage thread, because all its calls are synchronous.

import { closeSync, statSync } from 'node:fs';
import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../audit-pages.js';
import type { DatabaseContents } from '../backup/database-contents.js';
import { LOAD_SEQUENCES } from '../records-table.js';
import { type CommitTexts, NO_CHANGES, statements } from './commit-texts.js';
import { Connection, type Statement, StatementError } from './connection.js';
import { explained, isBusy, isDiskFull, messageOf } from './connection-errors.js';
import { type Locking, lockingOf, putInForce } from './connection-settings.js';
import {
  APPEND_EVENTS,
  COLUMNS_VERSION,
  COUNT_PRESENT,
  PUT_ROWS,
  SCHEMA_STEPS,
  SCHEMA_VERSION,
  TOUCH,
} from './file-schema.js';
import { Freezer } from './freezer.js';
import { expectOurs, expectWhole } from './own-database.js';
import { saveCopy } from './saved-copy.js';
import { isAsClosed, logBytesOf, markClosed, markInUse, missingLog } from './state-mark.js';
import { earlierColumns, type StoredPage, storedPage } from './stored-pages.js';
import { UsageScan } from './usage-scan.js';
import { distrustIndex, reuseLog, rewriteLog } from './write-ahead-log.js';

export type FileCommitResult =
  | { readonly status: 'committed'; readonly auditError?: string }
  | { readonly status: 'notStored' | 'storedUnconfirmed' | 'unknown'; readonly error: string };

export class LibsqlFile {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #holding: Locking;
  /** Descriptor of the log's index, open as long as the connection. */
  #index: number | undefined;
  readonly #inode: bigint;
  /** The file is this process's: with its last close every commit is in the file. */
  #isClaimed = false;
  #isNew = false;
  /** The file is as a clean stop left it, so a start leaves out what looks at each row or page. */
  #isTrusted = false;
  /** The last commit found the disk full, and the log could not be written back. */
  #wasFull = false;
  /** Keeps the file as it is while it is copied. */
  readonly freezer: Freezer;
  /** Counts what the file holds. */
  readonly usage: UsageScan;

  private constructor(connection: Connection, path: string, inode: bigint, holding: Locking) {
    this.#inode = inode;
    this.#connection = connection;
    this.#path = path;
    this.#holding = holding;
    this.freezer = new Freezer(connection, path);
    this.usage = new UsageScan(connection);
  }

  /**
   * Opens or creates the file and locks it for this process. `initialRows`: JSON of
   * the rows of a new file; `now`: the time of their creation. Rejects with one
   * sentence for the operator if another process holds the file, or if it is
   * damaged, of another program or newer than this program.
   */
  static async open(
    path: string,
    initialRows: string,
    now: number,
    holding: Locking,
  ): Promise<LibsqlFile> {
    let connection: Connection | undefined;
    let file: LibsqlFile | undefined;
    try {
      const inode = inodeOf(path);
      const logBytes = logBytesOf(path);
      const isTrusted = isAsClosed(path);
      // Such a file comes here only on purpose (`DATABASE_CREATE`): nothing of it can be missing.
      const isEmpty = statSync(path).size === 0;
      connection = new Connection(path, { busyTimeoutMs: DATABASE_BUSY_TIMEOUT_MS });
      file = new LibsqlFile(connection, path, inode, holding);
      file.#isTrusted = isTrusted;
      file.#claim(logBytes, isEmpty);
      // The last process may have ended because a sync failed, or in the middle of a commit.
      await file.#rewriteLog({ isStart: true });
      if (!isTrusted) expectWhole(file.#connection);
      file.#migrate(initialRows, now);
      // Beside a replica an empty log counts as lost, so it gets a commit, if the disk has room.
      if (holding === 'shared') await file.touch().catch(() => {});
      markInUse(path);
      return file;
    } catch (error) {
      if (file === undefined) connection?.close();
      else file.close();
      throw new Error(explained(error), { cause: error });
    }
  }

  /** It was made by this opening. */
  get isNew(): boolean {
    return this.#isNew;
  }

  async commit(texts: CommitTexts, isSecond = false): Promise<FileCommitResult> {
    this.usage.before(texts.puts, texts.removals);
    const rows = statements(texts);
    const events: Statement[] =
      texts.events === '' ? [] : [{ sql: APPEND_EVENTS, args: [texts.events] }];
    try {
      this.#connection.batch([...rows, ...events]);
      if (this.#wasFull) this.#reuseLog();
      return { status: 'committed' };
    } catch (error) {
      const reason = messageOf(error);
      if (isDiskFull(reason) && !isSecond && this.#reuseLog()) return this.commit(texts, true);
      // "If the audit write fails …, the change stands." Only the events' statement failed.
      if (error instanceof StatementError && error.index === rows.length) {
        const result = await this.commit({ ...texts, events: '' });
        return result.status === 'committed' ? { ...result, auditError: messageOf(error) } : result;
      }
      return { status: await this.#stateAfterFailure(texts, reason), error: reason };
    }
  }

  storedPage(position: number): StoredPage | undefined {
    return storedPage(this.#connection, position, { checksJson: !this.#isTrusted });
  }

  /** Object: the highest number by collection. */
  sequences(): string {
    return String(this.#connection.value(LOAD_SEQUENCES));
  }

  auditEvents(limit: number, offset: number): { items: string[]; total: number } {
    const total = Number(this.#connection.value(TOTAL_EVENTS));
    const rows = this.#connection.rows(LIST_EVENTS, [limit, offset]);
    return { items: rows.map((row) => String(row['event'])), total };
  }

  ping(): void {
    this.#connection.value('select count(*) from sqlite_master');
  }

  /** A commit that changes nothing. Rejects if it is not on disk. */
  async touch(): Promise<void> {
    try {
      this.#connection.batch([{ sql: TOUCH }]);
    } catch (error) {
      // A failure here needs the same steps as a failed commit.
      await this.#stateAfterFailure(NO_CHANGES, messageOf(error));
      throw error;
    }
  }

  /** See `FileStorage.save`. */
  save(path: string): DatabaseContents {
    return saveCopy(this.#connection, path);
  }

  /** Bytes of the log beside the file; 0 if there is none. */
  get logBytes(): number {
    return logBytesOf(this.#path) ?? 0;
  }

  /**
   * Writes the log back into the file and empties it. While Litestream runs, only Litestream
   * may do that. Resolves with false while another process reads the file.
   */
  emptyLog(): boolean {
    const [row] = this.#connection.rows('pragma wal_checkpoint(truncate)');
    return row?.['busy'] === 0;
  }

  /** Writes the log back into the database file, unless Litestream has it open, and releases it. */
  close(): void {
    // Before the log goes: a process that ends in between leaves a log that nobody asks for.
    if (this.#isClaimed && this.#isInPlace()) markClosed(this.#path, this.#isWrittenBack());
    this.#connection.close();
    if (this.#index !== undefined) closeSync(this.#index);
    this.#index = undefined;
  }

  /** Writes the log back, so that closing the connection leaves the file as it is. */
  #isWrittenBack(): boolean {
    try {
      return this.#holding === 'alone' && this.emptyLog();
    } catch {
      return false;
    }
  }

  /** Reads first, so that another program's file is refused without a change. */
  #claim(logBytes: number | undefined, isEmpty: boolean): void {
    this.#connection.value(lockingOf(this.#holding));
    // The first read takes the lock.
    this.#connection.value('select count(*) from sqlite_master');
    // The lock is on the opened file. Meanwhile a restore may have put another file in its place.
    if (!this.#isInPlace()) throw new Error('it was just replaced; start again');
    const missing = isEmpty ? undefined : missingLog(this.#path, logBytes, this.#holding);
    if (missing !== undefined) throw new Error(missing);
    this.#isClaimed = true;
    // This check comes first, so that a foreign view or trigger never runs.
    expectOurs(this.#connection, { mayBeNew: true });
    this.#configure();
  }

  /** One sync for each commit, before it is acknowledged. */
  #configure(): void {
    putInForce(this.#connection, this.#holding);
    // A batch reports a failure that a single statement may hide. It also takes the lock.
    this.#connection.batch([{ sql: 'select 1' }]);
  }

  /** No one else may write to the log meanwhile. */
  async #rewriteLog({ isStart = false } = {}): Promise<void> {
    if (this.#holding === 'alone') return rewriteLog(this.#path);
    const release = this.#connection.hold();
    try {
      await rewriteLog(this.#path);
      if (isStart) this.#index = distrustIndex(this.#path);
    } finally {
      release();
    }
  }

  /** One transaction: a process that is killed meanwhile leaves the file as it was. */
  #migrate(initialRows: string, now: number): void {
    const version = Number(this.#connection.value('pragma user_version'));
    this.#isNew = version === 0;
    if (version === SCHEMA_VERSION) return;
    this.#connection.batch(this.#migration(version, { sql: PUT_ROWS, args: [initialRows, now] }));
  }

  *#migration(version: number, seed: Statement): Generator<Statement> {
    for (const sql of SCHEMA_STEPS.slice(version).flat()) yield { sql };
    if (version === 0) yield seed;
    else if (version < COLUMNS_VERSION) yield* earlierColumns(this.#connection);
  }

  /** Called on a full disk. Returns whether a commit may find room now. */
  #reuseLog(): boolean {
    if (this.#holding === 'shared') return false;
    try {
      this.#configure();
      reuseLog(this.#connection);
      this.#wasFull = false;
    } catch {
      this.#wasFull = true;
    }
    return !this.#wasFull;
  }

  /**
   * Whether the file has the rows of a failed commit. The connection may be a new one, so
   * its lock and settings are set first.
   */
  async #stateAfterFailure(
    texts: CommitTexts,
    reason: string,
  ): Promise<'notStored' | 'storedUnconfirmed' | 'unknown'> {
    try {
      if (this.#holding === 'shared' && isBusy(reason)) {
        // The commit did not begin. After SQLITE_BUSY this library's connection fails at every call.
        this.#connection.reconnect();
        putInForce(this.#connection, this.#holding);
        return 'notStored';
      }
      this.#configure();
      if (!isDiskFull(reason)) {
        // The failed commit may be in the log, complete but not synced, and the next start would
        // find it. So a commit is made at once: it overwrites the failed one in the log.
        this.#connection.batch([{ sql: TOUCH }]);
        await this.#rewriteLog();
      }
      const args = [texts.puts, texts.at, texts.removals];
      return Number(this.#connection.value(COUNT_PRESENT, args)) === texts.changeCount
        ? 'storedUnconfirmed'
        : 'notStored';
    } catch {
      return 'unknown';
    }
  }

  #isInPlace(): boolean {
    return statSync(this.#path, { bigint: true, throwIfNoEntry: false })?.ino === this.#inode;
  }
}

function inodeOf(path: string): bigint {
  return statSync(path, { bigint: true }).ino;
}
