// One libSQL database file, held by one connection from its opening to its close. This code runs in the
// storage thread, because all its calls are synchronous.

import { closeSync } from 'node:fs';
import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';
import type { Page } from '../../core/domain/listing.js';
import type { CommitResult, StoredTotals } from '../../core/records/record-storage.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../audit-pages.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../records-table.js';
import { type Connection, configure, isRolledBack, type Statement } from './connection.js';
import { isBusy, messageOf } from './connection-errors.js';
import * as sql from './file-schema.js';
import type { FileSharing } from './file-sharing.js';
import { closeAsFound, hasLog, isMarkedOpen, markClosed, markOpen } from './open-marker.js';
import { assertIntegrity, LOG_MISSING, openDatabase } from './own-database.js';
import { type StoredPage, storedPage } from './stored-pages.js';
import { UsageScan } from './usage-scan.js';
import { invalidateShmFile, rewriteLog } from './write-ahead-log.js';

export interface FileOptions {
  readonly path: string;
  /** JSON of the rows that a new file starts with, as in `CommitTexts`. */
  readonly initialRows: string;
  /** When they were made: milliseconds since 1970, UTC. */
  readonly now: number;
  /** Take a file whose log is missing as it is. */
  readonly acceptsMissingLog: boolean;
}

/** The changes of a commit as JSON texts, which the thread passes on without parsing them. */
export interface CommitTexts {
  /** Array of `[position, collection, id, body, owner, status]`. */
  readonly puts: string;
  /** Array of positions. */
  readonly removals: string;
  /** Object: the highest number by collection. */
  readonly sequences: string;
  /** Array of objects. */
  readonly events: string;
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
}

function statements({ puts, removals, sequences, events, at }: CommitTexts): Statement[] {
  return [
    { sql: sql.PUT_ROWS, args: [puts, at] },
    { sql: sql.REMOVE_ROWS, args: [removals] },
    { sql: PUT_SEQUENCES, args: [sequences] },
    // "If the audit write fails …, the change stands."
    { sql: sql.APPEND_EVENTS, args: [events], isOptional: true },
  ].filter(({ args }) => args[0] !== '[]' && args[0] !== '{}');
}

export class LibsqlFile {
  /** This opening created it. */
  readonly isNew: boolean;
  /** The last process ended without closing it. */
  readonly wasKilled: boolean;
  readonly #options: FileOptions;
  readonly #sharing: FileSharing;
  #connection: Connection;
  #usage: UsageScan;
  /** Descriptor of the log's index, open as long as the connection. */
  #shm: number | undefined;
  #isMarkedOpen: boolean;
  /** Every row was read since the last process was killed, or it was not killed. */
  #isVerified: boolean;

  /**
   * Opens the file, which may be empty, and locks it for this process. Throws if another process
   * holds it, or if it is damaged, has lost its log, or has another schema than this program's.
   */
  constructor(options: FileOptions, sharing: FileSharing) {
    const { path, acceptsMissingLog } = options;
    this.#options = options;
    this.#sharing = sharing;
    // Asked first, because opening creates a log.
    const hadLog = hasLog(path);
    const connection = this.#open();
    this.#connection = connection;
    // Asked under the lock: the process that this one waited for may have closed the file.
    this.#isMarkedOpen = isMarkedOpen(path);
    this.wasKilled = this.#isMarkedOpen;
    this.#isVerified = !this.wasKilled;
    const lacksLog = this.wasKilled && !sharing.mayLackLog && !hadLog;
    this.#usage = new UsageScan(connection);
    try {
      // The last process may have ended because a sync failed, or in the middle of a commit.
      connection.holding(() => {
        rewriteLog(path);
        this.#shm = invalidateShmFile(path);
      });
      if (this.wasKilled) assertIntegrity(connection);
      if (lacksLog && !acceptsMissingLog) throw new Error(LOG_MISSING);
      this.isNew = connection.value('pragma user_version') === 0;
      if (this.isNew) this.#create();
    } catch (error) {
      this.#release(hadLog);
      throw error;
    }
  }

  commit(texts: CommitTexts): CommitResult {
    try {
      this.#markOpen();
    } catch (error) {
      return { status: 'notStored', error };
    }
    try {
      this.#usage.before(texts.puts, texts.removals);
      const auditError = this.#connection.batch(statements(texts));
      return auditError ? { status: 'committed', auditError } : { status: 'committed' };
    } catch (error) {
      const status = isRolledBack(error) ? 'notStored' : 'unknown';
      const reason = messageOf(error);
      // After SQLITE_BUSY, which only Litestream can cause, this library's connection fails at every call.
      if (isBusy(reason)) this.#reopen();
      return { status, error: new Error(reason) };
    }
  }

  /** A commit that changes nothing. */
  touch(): void {
    this.#markOpen();
    this.#connection.batch([{ sql: sql.TOUCH }]);
  }

  storedPage(position: number): StoredPage | undefined {
    const page = storedPage(this.#connection, position, this.wasKilled);
    if (page === undefined) this.#isVerified = true;
    return page;
  }

  /** Object: the highest number by collection. */
  sequences(): string {
    return String(this.#connection.value(LOAD_SEQUENCES));
  }

  /** Counts a piece of the file. Returns the totals after the last one, of the moment of the first. */
  usage(createdAfter: string): StoredTotals | undefined {
    return this.#usage.next(createdAfter);
  }

  auditEvents(limit: number, offset: number): Page {
    const rows = this.#connection.rows(LIST_EVENTS, [limit, offset]);
    const total = Number(this.#connection.value(TOTAL_EVENTS));
    return { items: rows.map((row) => String(row['event'])), total };
  }

  ping(): void {
    this.#connection.value('select count(*) from sqlite_master');
  }

  /** From here on commits stay in the log. Returns the URI at which another process reads the file as it is now. */
  pauseCheckpoints(): string {
    const { checkpointPages, backupMode } = this.#sharing;
    if (checkpointPages > 0) {
      this.#connection.value('pragma wal_autocheckpoint = 0');
      this.#truncateWal();
    }
    // In a URI `%`, `?` and `#` have a meaning.
    return `file:${encodeURI(this.#options.path).replaceAll(/[?#]/g, encodeURIComponent)}?${backupMode}`;
  }

  resumeCheckpoints(): void {
    this.#connection.value(`pragma wal_autocheckpoint = ${this.#sharing.checkpointPages}`);
  }

  /** SQLite writes the log back into the database file and removes it, unless Litestream has it open. */
  close(): void {
    try {
      if (this.#sharing.checkpointPages > 0) this.#truncateWal();
      if (this.#isVerified) markClosed(this.#options.path);
    } finally {
      this.#release(true);
    }
  }

  /** Writes the log back into the file and empties it. */
  #truncateWal(): void {
    const busy = this.#connection.value('pragma wal_checkpoint(truncate)');
    if (busy !== 0) throw new Error('the log cannot be written back');
  }

  #release(hadLog: boolean): void {
    closeAsFound(this.#connection, this.#options.path, hadLog);
    if (this.#shm !== undefined) closeSync(this.#shm);
    this.#shm = undefined;
  }

  #markOpen(): void {
    if (!this.#isMarkedOpen) markOpen(this.#options.path);
    this.#isMarkedOpen = true;
  }

  #open(): Connection {
    const { lockingMode } = this.#sharing;
    const connection = openDatabase(this.#options.path, lockingMode, DATABASE_BUSY_TIMEOUT_MS);
    configure(connection, this.#sharing);
    return connection;
  }

  #reopen(): void {
    this.#connection.close();
    this.#connection = this.#open();
    this.#usage = new UsageScan(this.#connection);
  }

  /** One transaction: a process that is killed leaves an empty file. */
  #create(): void {
    const { initialRows, now } = this.#options;
    this.#markOpen();
    const tables = sql.SCHEMA.map((statement) => ({ sql: statement }));
    try {
      this.#connection.batch([...tables, { sql: sql.PUT_ROWS, args: [initialRows, now] }]);
    } catch (error) {
      // Nothing was acknowledged that its log could hold.
      markClosed(this.#options.path);
      throw error;
    }
  }
}
