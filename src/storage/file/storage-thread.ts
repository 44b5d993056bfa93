// The storage thread: one libSQL database file, on one connection from the thread's start to its end. It
// replies to calls in order. If opening the file fails, the thread ends with the error.

import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { DATABASE_BUSY_TIMEOUT_MS } from '../../core/domain/limits.js';
import { offsetOf, type Page, type PageRequest } from '../../core/domain/listing.js';
import type { CommitResult } from '../../core/records/record-storage.js';
import { LIST_EVENTS, TOTAL_EVENTS } from '../audit-pages.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../records-table.js';
import { Connection, configure, isRolledBack } from './connection.js';
import { isBusy, messageOf } from './connection-errors.js';
import {
  APPEND_EVENTS,
  PUT_ROWS,
  REMOVE_ROWS,
  SCHEMA,
  type StoredPage,
  TOUCH,
} from './file-schema.js';
import type { EXCLUSIVE } from './file-sharing.js';
import { markClosed, markOpen, openDatabase, truncateWal } from './open-database.js';
import { storedPage } from './stored-rows.js';
import { scanUsage } from './usage-scan.js';

export interface ThreadOptions {
  readonly path: string;
  /** The rows of a new file, for `PUT_ROWS`, created at `now`. */
  readonly initialRows: string;
  readonly now: number;
  readonly acceptsMissingLog: boolean;
  readonly sharing: typeof EXCLUSIVE;
}

/** Changes as JSON texts, which are passed to SQLite without parsing them. */
type CommitTexts = Readonly<
  Record<'puts' | 'removals' | 'sequences' | 'events', string> & { at: number }
>;

export interface Opened {
  /** This opening created the database. */
  readonly isNew: boolean;
  /** The last process ended without closing the database. */
  readonly wasKilled: boolean;
}

const { path, initialRows, now, acceptsMissingLog, sharing }: ThreadOptions = workerData;
const busyTimeoutMs = DATABASE_BUSY_TIMEOUT_MS;
/** Allows one service per file. Only the lock counts; its file stays. */
const serviceLock = sharing.isExclusive
  ? undefined
  : new Connection(`${path}-service-lock`, busyTimeoutMs);
serviceLock?.lock();
let { connection, wasKilled } = openDatabase(path, { sharing, busyTimeoutMs, acceptsMissingLog });
let isMarkedOpen = false;
configure(connection, sharing);
const isNew = connection.value('pragma user_version') === 0;
// In one transaction, so that a killed process leaves an empty file. With a marker, that would be refused.
if (isNew) {
  connection.batch([...SCHEMA.map((sql) => [sql] as const), [PUT_ROWS, initialRows, now]]);
  markOpenOnce();
}

function markOpenOnce(): void {
  if (!isMarkedOpen) markOpen(path);
  isMarkedOpen = true;
}

const calls = {
  commit(texts: CommitTexts): CommitResult {
    const { puts, removals, sequences, events, at } = texts;
    const statements = [
      [PUT_ROWS, puts, at],
      [REMOVE_ROWS, removals],
      [PUT_SEQUENCES, sequences],
      [APPEND_EVENTS, events],
    ] as const;
    try {
      markOpenOnce();
      connection.batch(statements.filter(([, changes]) => changes !== '[]' && changes !== '{}'));
      return { status: 'committed' };
    } catch (error) {
      const reason = messageOf(error);
      // After SQLITE_BUSY, which only Litestream can cause, every call on this library's connection fails.
      if (isBusy(reason)) reconnect();
      else if (events !== '[]' && /^SQLITE_(CONSTRAINT|ERROR)/.test(reason)) {
        // "If the audit write fails …, the change stands."
        const result = calls.commit({ ...texts, events: '[]' });
        return result.status === 'committed' ? { ...result, auditError: reason } : result;
      }
      return { status: isRolledBack(reason) ? 'notStored' : 'unknown', error: new Error(reason) };
    }
  },
  /** A commit that changes nothing. */
  touch(): void {
    markOpenOnce();
    connection.batch([[TOUCH]]);
  },
  storedPage: (position: number): StoredPage | undefined => storedPage(connection, position),
  sequences: () => JSON.parse(String(connection.value(LOAD_SEQUENCES))),
  usage: (times: string, isFirst: boolean) => scanUsage(connection, times, isFirst),
  auditEvents(page: PageRequest): Page {
    const rows = connection.rows(LIST_EVENTS, [page.pageSize, offsetOf(page)]);
    const total = Number(connection.value(TOTAL_EVENTS));
    return { items: rows.map((row) => String(row['event'])), total };
  },
  ping(): void {
    connection.value('select count(*) from sqlite_master');
  },
  /** Keeps later commits in the log. Returns the URI at which another process reads the file as it is now. */
  pauseCheckpoints(): string {
    if (sharing.isExclusive) {
      // First, so that checkpoints continue if it fails, as on a full disk.
      truncateWal(connection);
      connection.value('pragma wal_autocheckpoint = 0');
    }
    return `${pathToFileURL(path)}?${sharing.backupMode}`;
  },
  resumeCheckpoints(): void {
    connection.value(`pragma wal_autocheckpoint = ${sharing.checkpointPages}`);
  },
  /** SQLite writes back the log and removes it, unless Litestream has the file open. */
  close(): void {
    if (sharing.isExclusive) truncateWal(connection);
    markClosed(path);
    connection.close();
    // Without this reference it would be garbage-collected after the opening, and the lock with it.
    serviceLock?.close();
  },
};
export type ThreadCalls = typeof calls;

function reconnect(): void {
  connection.close();
  connection = new Connection(path, busyTimeoutMs);
  configure(connection, sharing);
}

// The first reply is about the opening.
parentPort?.postMessage({ isNew, wasKilled } satisfies Opened);
parentPort?.on('message', ({ name, args }: { name: keyof ThreadCalls; args: unknown[] }) => {
  try {
    const value = (calls[name] as (...args: unknown[]) => unknown)(...args);
    // A page's bodies are transferred, because copying them would cost as much as reading them.
    const { bodies } = Object(value);
    parentPort?.postMessage(value, bodies && [bodies]);
  } catch (error) {
    parentPort?.postMessage(new Error(messageOf(error)));
  }
  // The thread ends itself, because `terminate()` during a native call would abort the process.
  if (name === 'close') parentPort?.close();
});
