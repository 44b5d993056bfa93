// The storage over a local libSQL file, which is open in a thread of its own, so that a slow sync never
// delays a read. The threads exchange only texts.

import { dirname, resolve } from 'node:path';
import { offsetOf } from '../../core/domain/listing.js';
import type { PutRow, RecordStorage, StoredViews } from '../../core/records/record-storage.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import { backupsOf } from '../backup/backups.js';
import type { Backup, DatabaseContents } from '../backup/file-copy.js';
import type { ReplicaReport } from '../replication/litestream.js';
import { claimFile, makeFolder, placeToOpen, refusalOf } from './file-place.js';
import { LibsqlThread } from './libsql-thread.js';
import { rowsText } from './record-columns.js';
import { rowsOf } from './stored-pages.js';

export interface ReplicationOptions {
  /** Path of Litestream's control socket. */
  readonly socketPath: string;
  /** Called after every sync and at every change of the replica's state. */
  readonly onReport?: (report: ReplicaReport) => void;
}

export interface LibsqlStorageOptions {
  /** Path of the database file; a missing folder is created. */
  readonly path: string;
  /** Whether a new file receives the sample rows of the reserved subject `local-preview`. Default: true. */
  readonly sampleRows?: boolean | undefined;
  /** Default: none, and no other process can open the file. */
  readonly replication?: ReplicationOptions | undefined;
  /** Where backups of the file are. If there is one, a missing file is not created. */
  readonly backupFolder?: string | undefined;
  /** Create a database even if there was an earlier one. */
  readonly createAnyway?: boolean | undefined;
}

/** A storage over a file that can be copied while in use. */
export interface FileStorage extends RecordStorage, StoredViews {
  /** This opening created the database. */
  readonly isNew: boolean;
  /** Absolute path of the file itself, even if a link was given. */
  readonly path: string;
  /**
   * Writes a copy of the database to a new file. The copy has every commit that resolved
   * before the call; it is checked and synced, and only its owner may read it. Commits and
   * reads continue. Resolves with its contents and size. If it fails, rejects with one sentence
   * and leaves nothing at `path`. One copy at a time; `close` aborts it.
   */
  backup(path: string): Promise<Backup>;
  /**
   * Writes the open database, log included, to a new file, even if the database file was moved or
   * deleted. Resolves with its contents once it is checked and on disk. Commits wait for it.
   */
  save(path: string): Promise<DatabaseContents>;
  /**
   * When the account's oldest record was made, in milliseconds since 1970, UTC; undefined if it has
   * none. Reads every record of the file, about a second for a million; commits wait for it.
   */
  oldestRecordAt(owner: string): Promise<number | undefined>;
  /**
   * False once another program has written to the open file, which then mixes pages of two databases:
   * only the records in memory are right. Always true with a replica.
   */
  isIntact(): Promise<boolean>;
  /** Makes a commit that changes nothing; rejects if storage takes no commits. */
  touch(): Promise<void>;
}

/**
 * Opens the file exclusively for this process, with `journal_mode=WAL` and
 * `synchronous=FULL`: a commit that resolved is on disk. With `replication`, Litestream
 * may open it beside this process.
 * Rejects with one sentence that names the file and what to do, also if the file is missing or empty
 * but something shows that there was a database.
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
      if (isReplicated) throw new Error("with a replica, Litestream's snapshots replace backups");
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
