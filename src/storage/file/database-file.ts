// One libSQL database file, held exclusively by one connection; with a replica, Litestream may open it,
// too. This code runs in the storage thread, because all its calls are synchronous.

import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Page } from '../../core/domain/listing.js';
import type { CommitResult, StoredTotals } from '../../core/records/record-storage.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../audit-pages.js';
import { checkDatabase } from '../backup/database-check.js';
import type { DatabaseContents } from '../backup/file-copy.js';
import { syncFileNow, syncFolderNow } from '../disk-sync.js';
import { LOAD_SEQUENCES } from '../records-table.js';
import { type CommitTexts, FileCommits } from './file-commits.js';
import { OLDEST_OF_OWNER, PUT_ROWS, SCHEMA_STEPS, SCHEMA_VERSION } from './file-schema.js';
import { expectWhole, type OwnFile, openOurs } from './own-database.js';
import { markClosed, markInUse } from './state-mark.js';
import { type StoredPage, storedPage } from './stored-pages.js';
import { UsageScan } from './usage-scan.js';
import { distrustIndex, logBytesOf } from './write-ahead-log.js';

const OWNER_ONLY_FILE = 0o600;

export interface FileOptions {
  readonly path: string;
  /** JSON of the rows that a new file starts with, as in `CommitTexts`. */
  readonly initialRows: string;
  /** When they were made: milliseconds since 1970, UTC. */
  readonly now: number;
  readonly isReplicated: boolean;
}

export class LibsqlFile {
  /** This opening created it. */
  readonly isNew: boolean;
  readonly #file: OwnFile;
  readonly #commits: FileCommits;
  readonly #usage: UsageScan;
  /** As this process left the file; undefined beside Litestream, which writes the log back. */
  #left: string | undefined;
  /** Another program has written to the file. */
  #isForeign = false;
  /** Descriptor of the log's index, open as long as the connection. */
  #index: number | undefined;
  /** See `freeze`. */
  #frozenAs: string | undefined;

  /**
   * Opens the file, which may be empty, and locks it for this process. Throws if another process
   * holds it, or if it is damaged, belongs to another program, or is newer than this program.
   */
  constructor({ path, initialRows, now, isReplicated }: FileOptions) {
    this.#file = openOurs(path, { isReplicated });
    const { connection, isTrusted } = this.#file;
    this.#commits = new FileCommits(this.#file);
    this.#usage = new UsageScan(connection);
    try {
      this.#commits.configure();
      // The last process may have ended because a sync failed, or in the middle of a commit.
      this.#commits.rewriteLog();
      if (isReplicated) this.#index = connection.holding(() => distrustIndex(path));
      if (!isTrusted) expectWhole(connection);
      this.isNew = this.#migrate(initialRows, now);
      // With a replica, an empty log counts as lost, so it gets a commit if the disk has room.
      if (isReplicated) succeeds(() => this.#commits.touch());
      markInUse(path);
      if (!isReplicated) this.#left = lastWriteOf(path);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  commit(texts: CommitTexts): CommitResult {
    this.#usage.before(texts.puts, texts.removals);
    return this.#writing(() => this.#commits.commit(texts));
  }

  touch(): void {
    this.#writing(() => this.#commits.touch());
  }

  isIntact(): boolean {
    this.#noticeForeignWrite();
    return this.#file.connection.isReplaced || !this.#isForeign;
  }

  storedPage(position: number): StoredPage | undefined {
    return storedPage(this.#file.connection, position, !this.#file.isTrusted);
  }

  /** Object: the highest number by collection. */
  sequences(): string {
    return String(this.#file.connection.value(LOAD_SEQUENCES));
  }

  /** See `UsageScan.next`. */
  usage(createdAfter: string): StoredTotals | undefined {
    return this.#usage.next(createdAfter);
  }

  oldestRecordAt(owner: string): number | undefined {
    const oldest = this.#file.connection.value(OLDEST_OF_OWNER, [owner]);
    return oldest === null ? undefined : Number(oldest);
  }

  auditEvents(limit: number, offset: number): Page {
    const rows = this.#file.connection.rows(LIST_EVENTS, [limit, offset]);
    const total = Number(this.#file.connection.value(TOTAL_EVENTS));
    return { items: rows.map((row) => String(row['event'])), total };
  }

  ping(): void {
    this.#file.connection.value('select count(*) from sqlite_master');
  }

  /**
   * Writes every commit so far into the file, and keeps the file as it is while it is copied:
   * later commits stay in the log.
   */
  freeze(): void {
    this.#file.connection.value('pragma wal_autocheckpoint = 0');
    try {
      if (!this.emptyLog()) throw new Error('the log cannot be written back');
      this.#frozenAs = lastWriteOf(this.#file.path);
    } catch (error) {
      this.thaw();
      throw error;
    }
  }

  /** True if the file has not changed since `freeze`: an abandoned connection writes the log into it. */
  thaw(): boolean {
    // SQLite's default: a commit writes the log back when the log has this many pages.
    this.#file.connection.value('pragma wal_autocheckpoint = 1000');
    return lastWriteOf(this.#file.path) === this.#frozenAs;
  }

  /** Through the open connection: a backup's process would not find a file that was moved or deleted. */
  save(path: string): DatabaseContents {
    const unfinished = `${path}.part`;
    try {
      // SQLite fills an empty file and keeps its permissions.
      closeSync(openSync(unfinished, 'wx', OWNER_ONLY_FILE));
      this.#file.connection.value('vacuum into ?', [unfinished]);
      const contents = checkDatabase(unfinished);
      syncFileNow(unfinished);
      renameSync(unfinished, path);
      syncFolderNow(dirname(path));
      return contents;
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
  }

  /** 0 if there is none. */
  get logBytes(): number {
    return logBytesOf(this.#file.path) ?? 0;
  }

  /**
   * Writes the log back into the file and empties it. While Litestream runs, only Litestream may do
   * that. Returns false while another process reads the file.
   */
  emptyLog(): boolean {
    const { connection } = this.#file;
    const isEmpty = this.#writing(() => connection.value('pragma wal_checkpoint(truncate)')) === 0;
    // With a replica, an empty log counts as lost.
    if (isEmpty && this.#file.isReplicated) succeeds(() => this.#commits.touch());
    return isEmpty;
  }

  /** Writes the log back into the database file, unless Litestream has it open, and releases it. */
  close(): void {
    const { connection, path, isReplicated, isInPlace } = this.#file;
    // Before the log is removed: a process that ends in between leaves a log that isn't needed.
    if (isInPlace() && this.isIntact()) {
      // Written back first, so that closing the connection leaves the file as it is.
      markClosed(path, !isReplicated && succeeds(() => this.emptyLog()));
    }
    connection.close();
    if (this.#index !== undefined) closeSync(this.#index);
    this.#index = undefined;
  }

  /**
   * A change while `write` runs is this process's own, unless the file gets shorter. So if a file of the
   * same length replaces it during a commit, only the next backup notices.
   */
  #writing<T>(write: () => T): T {
    if (this.#left === undefined) return write();
    this.#noticeForeignWrite();
    try {
      return write();
    } finally {
      const now = lastWriteOf(this.#file.path);
      if (Number.parseInt(now, 10) < Number.parseInt(this.#left, 10)) this.#isForeign = true;
      this.#left = now;
    }
  }

  /**
   * SQLite does not notice another program's write, such as `cp backup.db service.db`: it continues
   * with pages of two files, which a restart would load.
   */
  #noticeForeignWrite(): void {
    if (this.#left !== undefined && lastWriteOf(this.#file.path) !== this.#left) {
      this.#isForeign = true;
    }
  }

  /** One transaction: a process that is killed leaves the file as it was. Returns whether the file was empty. */
  #migrate(initialRows: string, now: number): boolean {
    const version = Number(this.#file.connection.value('pragma user_version'));
    const steps = SCHEMA_STEPS.slice(version)
      .flat()
      .map((sql) => ({ sql }));
    const seed = version === 0 ? [{ sql: PUT_ROWS, args: [initialRows, now] }] : [];
    if (version < SCHEMA_VERSION) this.#file.connection.batch([...steps, ...seed]);
    return version === 0;
  }
}

/** Whether it did not throw, nor return false. */
function succeeds(act: () => unknown): boolean {
  try {
    return act() !== false;
  } catch {
    return false;
  }
}

/** Size and time of the last write. Opening and closing the file to read it would drop the lock. */
function lastWriteOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return `${found?.size} ${found?.mtimeNs}`;
}
