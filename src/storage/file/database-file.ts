// One libSQL database file, held exclusively by one connection. With a replica, Litestream
// may open the file, too. This code runs in the storage thread, because all its calls are synchronous.

import { closeSync, statSync } from 'node:fs';
import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../audit-pages.js';
import type { DatabaseContents } from '../backup/backups.js';
import { LOAD_SEQUENCES } from '../records-table.js';
import { Connection, type Statement } from './connection.js';
import { type Locking, lockingOf } from './connection-settings.js';
import { FileCommits } from './file-commits.js';
import { COLUMNS_VERSION, PUT_ROWS, SCHEMA_STEPS, SCHEMA_VERSION } from './file-schema.js';
import { expectOurs, expectWhole } from './own-database.js';
import { lastWriteOf, OwnWrites } from './own-writes.js';
import { saveCopy } from './saved-copy.js';
import { isAsClosed, logBytesOf, markClosed, markInUse, missingLog } from './state-mark.js';
import { earlierColumns, type StoredPage, storedPage } from './stored-pages.js';
import { UsageScan } from './usage-scan.js';
import { distrustIndex } from './write-ahead-log.js';

/** SQLite's default: a commit writes the log back into the file when the log has this many pages. */
const CHECKPOINT_PAGES = 1_000;

export class LibsqlFile {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #holding: Locking;
  /** Descriptor of the log's index, open as long as the connection. */
  #index: number | undefined;
  readonly #inode: bigint;
  /** The file is this process's: with its last close every commit is in the file. */
  #isClaimed = false;
  /** It was made by this opening. */
  isNew = false;
  /** The file is as a clean stop left it, so a start leaves out what looks at each row or page. */
  #isTrusted = false;
  /** Undefined beside Litestream, which writes the log back. */
  #writes: OwnWrites | undefined;
  /** See `freeze`. */
  #frozenAs: string | undefined;
  /** Counts what the file holds. */
  readonly usage: UsageScan;
  readonly commits: FileCommits;

  private constructor(connection: Connection, path: string, inode: bigint, holding: Locking) {
    this.#inode = inode;
    this.#connection = connection;
    this.#path = path;
    this.#holding = holding;
    this.usage = new UsageScan(connection);
    this.commits = new FileCommits(connection, path, holding, this.usage);
  }

  /**
   * Opens or creates the file and locks it for this process. `initialRows`: JSON of
   * the rows of a new file; `now`: the time of their creation. Rejects if another process holds the file, or if it is
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
      const inode = statSync(path, { bigint: true }).ino;
      const logBytes = logBytesOf(path);
      const isTrusted = isAsClosed(path);
      // Such a file comes here only on purpose (`DATABASE_CREATE`): nothing of it can be missing.
      const isEmpty = statSync(path).size === 0;
      connection = new Connection(path, { busyTimeoutMs: DATABASE_BUSY_TIMEOUT_MS });
      file = new LibsqlFile(connection, path, inode, holding);
      file.#isTrusted = isTrusted;
      file.#claim(logBytes, isEmpty);
      // The last process may have ended because a sync failed, or in the middle of a commit.
      await file.commits.rewriteLog();
      if (holding === 'shared') file.#distrustIndex();
      if (!isTrusted) expectWhole(file.#connection);
      file.#migrate(initialRows, now);
      // Beside a replica an empty log counts as lost, so it gets a commit, if the disk has room.
      if (holding === 'shared') await file.commits.touch().catch(() => {});
      markInUse(path);
      if (holding === 'alone') file.#writes = new OwnWrites(path);
      return file;
    } catch (error) {
      if (file === undefined) connection?.close();
      else file.close();
      throw error;
    }
  }

  /** Runs what may write the file. */
  writing<T>(write: () => Promise<T>): Promise<T> {
    return this.#writes === undefined ? write() : this.#writes.during(write);
  }

  /** False once another program wrote the file. */
  isIntact(): boolean {
    return this.#connection.isReplaced || this.#writes?.look() !== true;
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

  /**
   * Writes every commit so far into the file, and keeps the file as it is while it is copied:
   * later commits stay in the log.
   */
  freeze(): void {
    this.#connection.value('pragma wal_autocheckpoint = 0');
    try {
      if (!this.emptyLog()) throw new Error('the log cannot be written back');
      this.#frozenAs = lastWriteOf(this.#path);
    } catch (error) {
      this.thaw();
      throw error;
    }
  }

  /** True if the file did not change since `freeze`. A connection that is given up writes the log into the file. */
  thaw(): boolean {
    this.#connection.value(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return lastWriteOf(this.#path) === this.#frozenAs;
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
    if (this.#isClaimed && this.#isInPlace() && this.isIntact()) {
      markClosed(this.#path, this.#isWrittenBack());
    }
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
    this.commits.configure();
  }

  /** No one else may write to the log meanwhile. */
  #distrustIndex(): void {
    const release = this.#connection.hold();
    try {
      this.#index = distrustIndex(this.#path);
    } finally {
      release();
    }
  }

  /** One transaction: a process that is killed meanwhile leaves the file as it was. */
  #migrate(initialRows: string, now: number): void {
    const version = Number(this.#connection.value('pragma user_version'));
    this.isNew = version === 0;
    if (version === SCHEMA_VERSION) return;
    this.#connection.batch(this.#migration(version, { sql: PUT_ROWS, args: [initialRows, now] }));
  }

  *#migration(version: number, seed: Statement): Generator<Statement> {
    for (const sql of SCHEMA_STEPS.slice(version).flat()) yield { sql };
    if (version === 0) yield seed;
    else if (version < COLUMNS_VERSION) yield* earlierColumns(this.#connection);
  }

  #isInPlace(): boolean {
    return statSync(this.#path, { bigint: true, throwIfNoEntry: false })?.ino === this.#inode;
  }
}
