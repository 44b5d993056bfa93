// The file beside Litestream: one service at a time has it, and commits and Litestream's syncs
// take turns.

import { Litestream } from '../replication/litestream.js';
import { Replica, type ReplicaReport } from '../replication/replica.js';
import { lockService } from '../replication/service-lock.js';
import type { LibsqlFile } from './database-file.js';

export interface ReplicatedFileOptions {
  readonly socketPath: string;
  readonly databasePath: string;
  readonly open: () => Promise<LibsqlFile>;
  readonly report: (report: ReplicaReport) => void;
  /** One use of the file at a time. */
  readonly inTurn: <T>(use: () => Promise<T>) => Promise<T>;
}

export interface ReplicatedFile {
  readonly file: LibsqlFile;
  readonly replica: Replica;
  /** To be called after the file was closed. */
  readonly release: () => void;
}

/** While Litestream does not run, the log is written back when it is larger than this. */
const LOG_MAX_BYTES = 268_435_456;

/** Rejects if another service has the file. */
export async function openReplicatedFile(options: ReplicatedFileOptions): Promise<ReplicatedFile> {
  const { socketPath, databasePath, open, report, inTurn } = options;
  const release = lockService(databasePath);
  try {
    const file = await open();
    const replica = new Replica({
      litestream: new Litestream({ socketPath, databasePath }),
      report,
      inTurn,
      touch: () => file.commits.touch(),
      onLongAbsence(pid) {
        if (!isAlive(pid)) void inTurn(() => emptyLongLog(file));
      },
    });
    return { file, replica, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The replica's next sync sends the whole database, because Litestream sees that the log was emptied without it. */
async function emptyLongLog(file: LibsqlFile): Promise<void> {
  if (file.logBytes <= LOG_MAX_BYTES) return;
  // An empty log would count as a lost one after a kill; this commit is in it, if the disk has room.
  if (file.emptyLog()) await file.commits.touch().catch(() => {});
}

/** Whether the process runs, as far as this user may know. */
function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
