// The storage over a local libSQL file, which is open in a thread of its own, so that a slow sync never
// delays a read. The threads exchange only texts.

import { dirname, resolve } from 'node:path';
import { offsetOf } from '../../core/domain/listing.js';
import type { PutRow, RecordStorage, StoredViews } from '../../core/records/record-storage.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import type { ReplicaReport } from '../replication/litestream.js';
import { FileBackups } from './file-backup.js';
import type { Backup } from './file-copy.js';
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
  /** Create a database even if there was an earlier one, and take one that lacks its log as it is. */
  readonly createAnyway?: boolean | undefined;
}

/** A storage over a file that can be copied while in use. */
export interface FileStorage extends RecordStorage, StoredViews {
  /** This opening created the database. */
  readonly isNew: boolean;
  /** The last process ended without closing it. */
  readonly wasKilled: boolean;
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
 * may open it beside this process.
 * Rejects with one sentence that names the file and what to do, also if the file is missing or empty
 * but something shows that there was a database.
 */
export async function openLibsqlStorage(options: LibsqlStorageOptions): Promise<FileStorage> {
  const { replication, backupFolder, createAnyway, sampleRows: hasSamples = true } = options;
  try {
    const path = await placeToOpen(options.path, {
      ...{ backupFolder, createAnyway },
      isReplicated: replication !== undefined,
    });
    await makeFolder(dirname(path));
    await claimFile(path);
    const thread = new LibsqlThread(
      {
        path,
        initialRows: rowsText(hasSamples ? sampleRows() : []),
        now: Date.now(),
        acceptsMissingLog: createAnyway === true,
        socketPath: replication && resolve(replication.socketPath),
      },
      replication?.onReport,
    );
    const opened = await thread.call('open').catch(async (error: unknown) => {
      // Closing the thread releases the last handle of the refused file.
      await thread.close();
      throw error;
    });
    return { ...opened, path, ...storageOn(thread) };
  } catch (error) {
    throw refusalOf(options.path, error);
  }
}

function storageOn(thread: LibsqlThread): Omit<FileStorage, 'isNew' | 'wasKilled' | 'path'> {
  const backups = new FileBackups(thread);
  let usage: Promise<unknown> = Promise.resolve();
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
    usage(createdAfter) {
      // One view at a time; commits get their turn between the pieces.
      const counted = usage.then(async () => {
        for (;;) {
          const totals = await thread.call('usage', JSON.stringify(createdAfter));
          if (totals !== undefined) return totals;
        }
      });
      usage = counted.catch(() => {});
      return counted;
    },
    auditEvents: (page) => thread.call('auditEvents', page.pageSize, offsetOf(page)),
    ping: () => thread.call('ping'),
    touch: () => thread.call('touch'),
    backup: (copy) => backups.take(resolve(copy)),
    close() {
      backups.close();
      return thread.close();
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
