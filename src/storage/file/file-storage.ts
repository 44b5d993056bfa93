// The storage over a local libSQL file. The file lives in a thread of its own,
// so that a slow sync never delays a read. Only texts go from one thread to the other.

import { dirname, resolve } from 'node:path';
import { offsetOf } from '../../core/domain/listing.js';
import type { PutRow, RecordStorage, StoredViews } from '../../core/records/record-storage.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import { type Backup, backupsOf } from '../backup/backups.js';
import type { DatabaseContents } from '../backup/database-check.js';
import type { ReplicaReport } from '../replication/litestream.js';
import { claimFile, makeFolder, placeToOpen, refusalOf } from './file-place.js';
import { LibsqlThread } from './libsql-thread.js';
import { rowsText } from './record-columns.js';
import { rowsOf } from './stored-pages.js';

/** SQLite's own limit of a text. */
const TEXT_MAX_BYTES = 1_000_000_000;

export interface ReplicationOptions {
  /** Path of Litestream's control socket. */
  readonly socketPath: string;
  /** Called after every sync and at every change of the replica's state. */
  readonly onReport?: (report: ReplicaReport) => void;
}

export interface LibsqlStorageOptions {
  /** Path of the database file; its folder is made if missing. */
  readonly path: string;
  /** Whether a new file receives the sample rows of the reserved subject `local-preview`. Default: true. */
  readonly sampleRows?: boolean | undefined;
  /** Default: no replica, and no other process can open the file. */
  readonly replication?: ReplicationOptions | undefined;
  /** Where backups of the file are. One of them shows that a missing file was there. */
  readonly backupFolder?: string | undefined;
  /** Create a database although an earlier one is known. */
  readonly createAnyway?: boolean | undefined;
}

/** A storage over a file, which can be copied while it is in use. */
export interface FileStorage extends RecordStorage, StoredViews {
  /** The database was made by this opening. */
  readonly isNew: boolean;
  /** Absolute path of the file itself, if the name that was given is a link. */
  readonly path: string;
  /**
   * Writes a copy of the database to a new file. The copy has every commit that resolved
   * before the call; it is checked and synced, and only its owner may read it. Commits and
   * reads continue. Resolves with the facts of the copy. If it fails, rejects with
   * one sentence and leaves nothing at `path`. One copy at a time; `close` breaks it off.
   */
  backup(path: string): Promise<Backup>;
  /**
   * Writes what is open, log included, to a new file, also where the database file is no longer in its
   * place. Resolves with what the copy holds, once it is checked and on disk. Commits wait for it.
   */
  save(path: string): Promise<DatabaseContents>;
  /**
   * When the account's oldest record was made, in milliseconds since 1970, UTC; undefined if it has
   * none. Reads every record of the file, about a second for a million; commits wait for it.
   */
  oldestRecordAt(owner: string): Promise<number | undefined>;
  /**
   * False once another program wrote the open file, which then holds pages of two databases:
   * the records in memory are the only ones that are right. Always true beside a replica.
   */
  isIntact(): Promise<boolean>;
  /** Makes a commit that changes nothing, to learn whether storage takes commits; rejects if it does not. */
  touch(): Promise<void>;
}

/**
 * Opens the file exclusively for this process, with `journal_mode=WAL` and
 * `synchronous=FULL`: a commit that resolved is on disk. With `replication`, Litestream
 * may open it beside this process.
 * Rejects with one sentence that names the file and what to do, also where the file is missing
 * or empty and something shows that it was not.
 */
export async function openLibsqlStorage(options: LibsqlStorageOptions): Promise<FileStorage> {
  const { replication, backupFolder, createAnyway, sampleRows: hasSamples = true } = options;
  const isReplicated = replication !== undefined;
  try {
    const path = await placeToOpen(options.path, { backupFolder, isReplicated, createAnyway });
    await makeFolder(dirname(path));
    await claimFile(path);
    const thread = new LibsqlThread(
      {
        path,
        initialRows: rowsText(hasSamples ? sampleRows() : []),
        now: Date.now(),
        socketPath: replication && resolve(replication.socketPath),
      },
      replication?.onReport,
    );
    const isNew = await thread.call('open').catch(async (error: unknown) => {
      // Closing the thread releases the last handle of the refused file.
      await thread.close();
      throw error;
    });
    return { isNew, path, ...storageOn(thread, path, isReplicated) };
  } catch (error) {
    throw refusalOf(options.path, error);
  }
}

function storageOn(
  thread: LibsqlThread,
  path: string,
  isReplicated: boolean,
): Omit<FileStorage, 'isNew' | 'path'> {
  const backups = backupsOf(path, thread);
  let counting: Promise<unknown> = Promise.resolve();
  return {
    bodyMaxBytes: TEXT_MAX_BYTES,
    load: () => pagesOf(thread),
    sequences: async () => JSON.parse(await thread.call('sequences')),
    // A thread that does not answer leaves the outcome unknown.
    commit({ puts, removals, sequences, events, at }) {
      const texts = {
        puts: rowsText(puts),
        removals: JSON.stringify(removals),
        sequences: JSON.stringify(sequences),
        events: JSON.stringify(events),
        at,
      };
      return thread.call('commit', texts).catch((error: unknown) => ({ status: 'unknown', error }));
    },
    /** Usage views run one after the other, and each shows a moment after its request. */
    usage(createdAfter) {
      const counted = counting.then(async () => {
        for (;;) {
          const totals = await thread.call('usage', JSON.stringify(createdAfter));
          if (totals !== undefined) return totals;
        }
      });
      counting = counted.catch(() => {});
      return counted;
    },
    auditEvents: (page) => thread.call('auditEvents', page.pageSize, offsetOf(page)),
    ping: () => thread.call('ping'),
    oldestRecordAt: (owner) => thread.call('oldestRecordAt', owner),
    isIntact: () => thread.call('isIntact'),
    touch: () => thread.call('touch'),
    async save(copy) {
      await makeFolder(dirname(copy));
      return thread.call('save', resolve(copy));
    },
    async backup(copy) {
      // A backup writes the log back. While Litestream runs, only Litestream may do that.
      if (isReplicated) throw new Error("Litestream's snapshots take its place beside a replica");
      return backups.take(resolve(copy));
    },
    async close() {
      await backups.close();
      await thread.close();
    },
  };
}

async function* pagesOf(thread: LibsqlThread): AsyncGenerator<readonly PutRow[]> {
  let next = thread.call('storedPage', 0);
  for (let page = await next; page !== undefined; page = await next) {
    // The thread reads the next page while the caller works on this one.
    next = thread.call('storedPage', page.last);
    next.catch(() => {});
    yield rowsOf(page);
  }
}
