// The storage over a local libSQL file. The file is opened in a separate thread, so that a slow sync never
// delays a read. The threads exchange only texts.

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PutRow, RecordStorage, StoredViews } from '../../core/records/record-storage.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import { Replica, type ReplicatedFile } from '../replication/replica.js';
import { pathToOpen, refusalOf } from './database-path.js';
import { makeEmpty, makeFolder } from './durable-files.js';
import { type Backup, takeBackup } from './file-backup.js';
import { EXCLUSIVE, WITH_LITESTREAM } from './file-sharing.js';
import { isLogMissing } from './open-database.js';
import type { Opened, ThreadCalls, ThreadOptions } from './storage-thread.js';
import { rowsOf, rowsText } from './stored-rows.js';

/** `socketPath`: of Litestream's control socket. */
export type ReplicationOptions = Pick<ReplicatedFile, 'socketPath' | 'onReport'>;

export interface LibsqlStorageOptions {
  /** Path of the database file; a missing folder is created. */
  readonly path: string;
  /** Whether a new file is seeded with the sample rows of the account `local-preview`. Default: true. */
  readonly sampleRows?: boolean | undefined;
  /** Default: none, and no other process can open the file. */
  readonly replication?: ReplicationOptions | undefined;
  /** Folder of the file's backups. If it contains one, a missing file is not created. */
  readonly backupFolder?: string | undefined;
  /** Create a database even if there was an earlier one, and open a file even if its log is missing. */
  readonly createAnyway?: boolean | undefined;
}

/** A storage over a file that can be copied while in use. */
export interface FileStorage extends RecordStorage, StoredViews, Opened {
  /** Absolute path of the file itself, even if a link was given. */
  readonly path: string;
  /**
   * Writes a compacted copy of the database to a new file, with every finished commit and none in part.
   * Resolves with its contents and size once it is checked and on disk. Reads and commits continue. If it
   * fails, rejects with one sentence and leaves nothing at `path`.
   */
  backup(path: string): Promise<Backup>;
  /** Makes a commit that changes nothing; rejects if storage accepts no commits. */
  touch(): Promise<void>;
}

/**
 * Opens the file exclusively for this process, with `journal_mode=WAL` and `synchronous=FULL`: a commit
 * that resolved is on disk. With `replication`, Litestream may open it at the same time.
 * Rejects with one sentence that names the file and what to do, even if the file is missing or empty
 * although there was a database before.
 */
export async function openLibsqlStorage(options: LibsqlStorageOptions): Promise<FileStorage> {
  const { replication, createAnyway = false, sampleRows: hasSamples = true } = options;
  try {
    const path = await pathToOpen(options);
    makeFolder(dirname(path));
    // Before the database is opened: closing the file afterwards would drop the lock.
    if (!existsSync(path)) makeEmpty(path);
    const thread = startThread({
      path,
      initialRows: rowsText(hasSamples ? sampleRows() : []),
      now: Date.now(),
      acceptsMissingLog: createAnyway,
      sharing: replication ? WITH_LITESTREAM : EXCLUSIVE,
    });
    return { ...(await thread.opened), path, ...storageOn(thread, path, replication) };
  } catch (error) {
    throw refusalOf(options.path, error);
  }
}

export type ThreadCall = <Name extends keyof ThreadCalls>(
  name: Name,
  ...args: Parameters<ThreadCalls[Name]>
) => Promise<ReturnType<ThreadCalls[Name]>>;

/** The calling side of the storage thread. */
function startThread(options: ThreadOptions) {
  /** Oldest first, because the thread replies in order. */
  const pending: { resolve(value: unknown): void; reject(error: Error): void }[] = [];
  /** Why calls are rejected. */
  let ended: Error | undefined;
  const reply = () => new Promise<unknown>((resolve, reject) => pending.push({ resolve, reject }));
  const opened = reply() as Promise<Opened>;
  const wasLogMissing = isLogMissing(options.path);
  const script = new URL('./storage-thread.js', import.meta.url);
  const worker = new Worker(script, { workerData: options, name: 'storage' });
  worker.on('message', (message: unknown) => {
    const { resolve, reject } = pending.shift() ?? {};
    if (message instanceof Error) reject?.(message);
    else resolve?.(message);
  });
  worker.on('error', (error) => {
    ended ??= error;
  });
  const exit = new Promise<void>((resolve) => {
    // The file is released now, even if it was refused.
    worker.on('exit', () => {
      // SQLite removes a log that it wrote back, even if the close then fails; nothing is lost.
      if (!wasLogMissing && isLogMissing(options.path)) makeEmpty(`${options.path}-wal`);
      ended ??= new Error('the storage thread has ended');
      for (const { reject } of pending.splice(0)) reject(ended);
      resolve();
    });
  });
  const call = (async (name, ...args) => {
    if (ended !== undefined) throw ended;
    worker.postMessage({ name, args });
    return reply();
  }) as ThreadCall;
  return {
    opened,
    call,
    /** Resolves when the file is released and the thread has ended. */
    async close() {
      const closed = call('close');
      ended ??= new Error('the storage is closed');
      await closed.finally(() => exit);
    },
  };
}

function storageOn(
  { call, close }: ReturnType<typeof startThread>,
  path: string,
  replication: ReplicationOptions | undefined,
): Omit<FileStorage, keyof Opened | 'path'> {
  const [commitMutex, usageMutex, backupMutex] = [mutex(), mutex(), mutex()];
  const closing = new AbortController();
  const touch = () => commitMutex(() => call('touch'));
  const replica = replication && new Replica({ ...replication, path, touch, commitMutex });
  return {
    load: () => pagesOf(call),
    sequences: () => call('sequences'),
    async commit({ puts, at, ...changes }) {
      const texts = {
        puts: rowsText(puts),
        removals: JSON.stringify(changes.removals),
        sequences: JSON.stringify(changes.sequences),
        events: JSON.stringify(changes.events),
        at,
      };
      try {
        return await commitMutex(() => call('commit', texts));
      } catch (error) {
        // The thread ended, or failed outside the transaction: the outcome is unknown.
        return { status: 'unknown', error };
      } finally {
        replica?.committed();
      }
    },
    usage: (createdAfter) =>
      usageMutex(async () => {
        // Commits continue between the pieces.
        for (let isFirst = true; ; isFirst = false) {
          const totals = await call('usage', JSON.stringify(createdAfter), isFirst);
          if (totals !== undefined) return totals;
        }
      }),
    auditEvents: (page) => call('auditEvents', page),
    ping: () => call('ping'),
    touch,
    backup: (copy) => backupMutex(() => takeBackup(call, path, resolve(copy), closing.signal)),
    async close() {
      closing.abort();
      await replica?.close();
      await commitMutex(close);
    },
  };
}

/** Runs one function at a time, in the order of the calls. */
function mutex() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run);
    last = result.catch(() => {});
    return result;
  };
}

async function* pagesOf(call: ThreadCall): AsyncGenerator<readonly PutRow[]> {
  let next = call('storedPage', 0);
  for (let page = await next; page !== undefined; page = await next) {
    // The thread reads the next page while the caller processes this one.
    next = call('storedPage', page.last);
    next.catch(() => {});
    yield rowsOf(page);
  }
}
