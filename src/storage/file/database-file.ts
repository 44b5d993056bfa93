// One libSQL database file, held exclusively by one connection. With a replica, Litestream may open
// the file, too. This code runs in the storage thread, because all its calls are synchronous.

import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CommitResult } from '../../core/records/record-storage.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../audit-pages.js';
import type { DatabaseContents } from '../backup/backups.js';
import { checkDatabase } from '../backup/database-check.js';
import { syncFileNow, syncFolderNow } from '../disk-sync.js';
import { LOAD_SEQUENCES } from '../records-table.js';
import type { Locking } from './connection.js';
import { type CommitTexts, FileCommits } from './file-commits.js';
import { OLDEST_OF_OWNER, PUT_ROWS, SCHEMA_STEPS, SCHEMA_VERSION } from './file-schema.js';
import { expectWhole, type OwnFile, openOurs } from './own-database.js';
import { lastWriteOf, OwnWrites } from './own-writes.js';
import { markClosed, markInUse } from './state-mark.js';
import { type StoredPage, storedPage } from './stored-pages.js';
import { UsageScan } from './usage-scan.js';
import { distrustIndex, logBytesOf, writeBack } from './write-ahead-log.js';

const OWNER_ONLY_FILE = 0o600;
/** SQLite's default: a commit writes the log back into the file when the log has this many pages. */
const CHECKPOINT_PAGES = 1_000;

export interface FileOptions {
  readonly path: string;
  /** JSON of the rows that a new file starts with, as in `CommitTexts`. */
  readonly initialRows: string;
  /** When they were made: milliseconds since 1970, UTC. */
  readonly now: number;
  readonly holding: Locking;
}

export class LibsqlFile {
  /** It was made by this opening. */
  readonly isNew: boolean;
  readonly #file: OwnFile;
  readonly #commits: FileCommits;
  readonly #usage: UsageScan;
  /** Undefined beside Litestream, which writes the log back. */
  #writes: OwnWrites | undefined;
  /** Descriptor of the log's index, open as long as the connection. */
  #index: number | undefined;
  /** See `freeze`. */
  #frozenAs: string | undefined;

  /**
   * Opens the file, which may be empty, and locks it for this process. Throws if another process
   * holds it, or if it is damaged, of another program or newer than this program.
   */
  constructor({ path, initialRows, now, holding }: FileOptions) {
    this.#file = openOurs(path, holding);
    const { connection, isTrusted } = this.#file;
    this.#commits = new FileCommits(this.#file);
    this.#usage = new UsageScan(connection);
    try {
      this.#commits.configure();
      // The last process may have ended because a sync failed, or in the middle of a commit.
      this.#commits.rewriteLog();
      if (holding === 'shared') {
        this.#index = connection.holding(() => distrustIndex(path));
      }
      if (!isTrusted) expectWhole(connection);
      this.isNew = this.#migrate(initialRows, now);
      // Beside a replica an empty log counts as lost, so it gets a commit, if the disk has room.
      if (holding === 'shared') this.#touchIfThereIsRoom();
      markInUse(path);
      if (holding === 'alone') this.#writes = new OwnWrites(path);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  commit(texts: CommitTexts): CommitResult {
    this.#usage.before(texts.puts, texts.removals);
    return this.#writing(() => this.#commits.commit(texts));
  }

  /** A commit that changes nothing. Throws if it is not on disk. */
  touch(): void {
    this.#writing(() => this.#commits.touch());
  }

  /** False once another program wrote the file. */
  isIntact(): boolean {
    return this.#file.connection.isReplaced || this.#writes?.look() !== true;
  }

  storedPage(position: number): StoredPage | undefined {
    return storedPage(this.#file.connection, position, !this.#file.isTrusted);
  }

  /** Object: the highest number by collection. */
  sequences(): string {
    return String(this.#file.connection.value(LOAD_SEQUENCES));
  }

  /** `createdAfter`: JSON array of three times, in milliseconds since 1970, UTC. */
  beginUsage(createdAfter: string, maxRows?: number): void {
    this.#usage.begin(createdAfter, maxRows);
  }

  nextUsage(): ReturnType<UsageScan['next']> {
    return this.#usage.next();
  }

  /** In milliseconds since 1970, UTC; undefined if the owner has no record. Reads every record at once. */
  oldestRecordAt(owner: string): number | undefined {
    const oldest = this.#file.connection.value(OLDEST_OF_OWNER, [owner]);
    return oldest === null ? undefined : Number(oldest);
  }

  auditEvents(limit: number, offset: number): { items: string[]; total: number } {
    const total = Number(this.#file.connection.value(TOTAL_EVENTS));
    const rows = this.#file.connection.rows(LIST_EVENTS, [limit, offset]);
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

  /** True if the file did not change since `freeze`. A connection that is given up writes the log into the file. */
  thaw(): boolean {
    this.#file.connection.value(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return lastWriteOf(this.#file.path) === this.#frozenAs;
  }

  /**
   * A copy by the open connection: the last resort where the file is no longer in its place, and a
   * backup by another process would find nothing there. Throws if it cannot be made; nothing is left then.
   */
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

  /** Bytes of the log beside the file; 0 if there is none. */
  get logBytes(): number {
    return logBytesOf(this.#file.path) ?? 0;
  }

  /**
   * Writes the log back into the file and empties it. While Litestream runs, only Litestream may do
   * that. Returns false while another process reads the file.
   */
  emptyLog(): boolean {
    const isEmpty = this.#writing(() => writeBack(this.#file.connection, 'truncate'));
    // Beside a replica an empty log counts as lost.
    if (isEmpty && this.#file.holding === 'shared') this.#touchIfThereIsRoom();
    return isEmpty;
  }

  /** Writes the log back into the database file, unless Litestream has it open, and releases it. */
  close(): void {
    // Before the log goes: a process that ends in between leaves a log that isn't needed.
    if (this.#file.isInPlace() && this.isIntact())
      markClosed(this.#file.path, this.#isWrittenBack());
    this.#file.connection.close();
    if (this.#index !== undefined) closeSync(this.#index);
    this.#index = undefined;
  }

  #writing<T>(write: () => T): T {
    return this.#writes === undefined ? write() : this.#writes.during(write);
  }

  /** Writes the log back, so that closing the connection leaves the file as it is. */
  #isWrittenBack(): boolean {
    try {
      return this.#file.holding === 'alone' && this.emptyLog();
    } catch {
      return false;
    }
  }

  #touchIfThereIsRoom(): void {
    try {
      this.#commits.touch();
    } catch {}
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
