// The storage over a local libSQL file, which is open in a separate thread, so that a slow sync never
// delays a read. The threads exchange only texts.

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PutRow, RecordStorage, StoredViews } from '../../core/records/record-storage.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import { Replica, type ReplicatedFile } from '../replication/replica.js';
import { makeEmpty, makeFolder } from './durable-files.js';
import { type Backup, takeBackup } from './file-backup.js';
import { placeToOpen, refusalOf } from './file-place.js';
import { EXCLUSIVE, WITH_LITESTREAM } from './file-sharing.js';
import { isLogMissing } from './own-database.js';
import type { Opened, ThreadCalls, ThreadOptions } from './storage-thread.js';
import { rowsOf, rowsText } from './stored-rows.js';

/** `socketPath`: of Litestream's control socket. */
export type ReplicationOptions = Pick<ReplicatedFile, 'socketPath' | 'onReport'>;

export interface LibsqlStorageOptions {
  /** Path of the database file; a missing folder is created. */
  readonly path: string;
  /** Whether a new file receives the sample rows of the reserved subject `local-preview`. Default: true. */
  readonly sampleRows?: boolean | undefined;
  /** Default: none, and no other process can open the file. */
  readonly replication?: ReplicationOptions | undefined;
  /** Folder of the file's backups. If it has one, a missing file is not created. */
  readonly backupFolder?: string | undefined;
  /** Create a database even if there was an earlier one, and take one that lacks its log as it is. */
  readonly createAnyway?: boolean | undefined;
}

/** A storage over a file that can be copied while in use. */
export interface FileStorage extends RecordStorage, StoredViews, Opened {
  /** Absolute path of the file itself, even if a link was given. */
  readonly path: string;
  /**
   * Writes a compacted copy of the database to a new file: every finished commit, and none in part.
   * Resolves with its contents and size once it is checked and on disk. Reads and commits continue. If it
   * fails, rejects with one sentence and leaves nothing at `path`.
   */
  backup(path: string): Promise<Backup>;
  /** Makes a commit that changes nothing; rejects if storage takes no commits. */
  touch(): Promise<void>;
}

/**
 * Opens the file exclusively for this process, with `journal_mode=WAL` and
 * `synchronous=FULL`: a commit that resolved is on disk. With `replication`, Litestream
 * may open it while this process has it open.
 * Rejects with one sentence that names the file and what to do, also if the file is missing or empty
 * but something shows that there was a database.
 */
export async function openLibsqlStorage(options: LibsqlStorageOptions): Promise<FileStorage> {
  const { replication, createAnyway = false, sampleRows: hasSamples = true } = options;
  try {
    const path = await placeToOpen(options);
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

export type Call = <Name extends keyof ThreadCalls>(
  name: Name,
  ...args: Parameters<ThreadCalls[Name]>
) => Promise<ReturnType<ThreadCalls[Name]>>;

/** The calling side of the storage thread. */
function startThread(options: ThreadOptions) {
  /** Oldest first: the thread answers in order. */
  const waiting: { resolve(value: unknown): void; reject(error: Error): void }[] = [];
  /** Why calls are refused. */
  let gone: Error | undefined;
  const reply = () => new Promise<unknown>((resolve, reject) => waiting.push({ resolve, reject }));
  const opened = reply() as Promise<Opened>;
  const wasMissing = isLogMissing(options.path);
  const script = new URL('./storage-thread.js', import.meta.url);
  const worker = new Worker(script, { workerData: options, name: 'storage' });
  worker.on('message', (answer: unknown) => {
    const { resolve, reject } = waiting.shift() ?? {};
    if (answer instanceof Error) reject?.(answer);
    else resolve?.(answer);
  });
  worker.on('error', (error) => {
    gone ??= error;
  });
  const ended = new Promise<void>((resolve) => {
    // Now the file is released, also one that was refused.
    worker.on('exit', () => {
      // SQLite has removed a log that it wrote back, also after a failed close: nothing is missing.
      if (!wasMissing && isLogMissing(options.path)) makeEmpty(`${options.path}-wal`);
      gone ??= new Error('the storage thread has ended');
      for (const { reject } of waiting.splice(0)) reject(gone);
      resolve();
    });
  });
  const call = (async (name, ...args) => {
    if (gone !== undefined) throw gone;
    worker.postMessage({ name, args });
    return reply();
  }) as Call;
  return {
    opened,
    call,
    /** Resolves when the file is released and the thread has ended. */
    async close() {
      const closed = call('close');
      gone ??= new Error('the storage is closed');
      await closed.finally(() => ended);
    },
  };
}

function storageOn(
  { call, close }: ReturnType<typeof startThread>,
  path: string,
  replication: ReplicationOptions | undefined,
): Omit<FileStorage, keyof Opened | 'path'> {
  const [inTurn, countInTurn, copyInTurn] = [turns(), turns(), turns()];
  const closing = new AbortController();
  const touch = () => inTurn(() => call('touch'));
  // While Litestream reads the log, no commit begins, for at most a second.
  const replica = replication && new Replica({ ...replication, path, touch, inTurn });
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
        return await inTurn(() => call('commit', texts));
      } catch (error) {
        // No answer, or an error outside the transaction: the outcome is unknown.
        return { status: 'unknown', error };
      } finally {
        replica?.committed();
      }
    },
    usage: (createdAfter) =>
      countInTurn(async () => {
        // Commits get their turn between the pieces.
        for (let isFirst = true; ; isFirst = false) {
          const totals = await call('usage', JSON.stringify(createdAfter), isFirst);
          if (totals !== undefined) return totals;
        }
      }),
    auditEvents: (page) => call('auditEvents', page),
    ping: () => call('ping'),
    touch,
    backup: (copy) => copyInTurn(() => takeBackup(call, path, resolve(copy), closing.signal)),
    async close() {
      closing.abort();
      await replica?.close();
      await inTurn(close);
    },
  };
}

/** Runs one after the other. */
function turns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(run: () => Promise<T>): Promise<T> => {
    const done = last.then(run);
    last = done.catch(() => {});
    return done;
  };
}

async function* pagesOf(call: Call): AsyncGenerator<readonly PutRow[]> {
  let next = call('storedPage', 0);
  for (let page = await next; page !== undefined; page = await next) {
    // The thread reads the next page while the caller works on this one.
    next = call('storedPage', page.last);
    next.catch(() => {});
    yield rowsOf(page);
  }
}
