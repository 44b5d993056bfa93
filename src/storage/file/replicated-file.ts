// The file beside Litestream: one service at a time has it, and commits and Litestream's syncs
// take turns.

import { Litestream } from '../replication/litestream.js';
import { Replica, type ReplicaReport } from '../replication/replica.js';
import { lockService } from '../replication/service-lock.js';
import { type FileOptions, LibsqlFile } from './database-file.js';

export interface ReplicatedFileOptions extends Omit<FileOptions, 'holding'> {
  /** Path of Litestream's control socket. */
  readonly socketPath: string;
  readonly report: (report: ReplicaReport) => void;
  /** One use of the file at a time. */
  readonly inTurn: <T>(use: () => Promise<T>) => Promise<T>;
}

/** While Litestream does not run, the log is written back when it is larger than this. */
const LOG_MAX_BYTES = 268_435_456;

/** Throws if another service has the file. `release` is to be called after the file was closed. */
export function openReplicatedFile({
  socketPath,
  report,
  inTurn,
  ...options
}: ReplicatedFileOptions): { file: LibsqlFile; replica: Replica; release: () => void } {
  const release = lockService(options.path);
  try {
    const file = new LibsqlFile({ ...options, holding: 'shared' });
    const replica = new Replica({
      litestream: new Litestream({ socketPath, databasePath: options.path }),
      report,
      inTurn,
      touch: async () => file.touch(),
      // The replica's next sync sends the whole database, because Litestream sees that the log was emptied without it.
      onLongAbsence(pid) {
        if (isAlive(pid)) return;
        void inTurn(async () => file.logBytes > LOG_MAX_BYTES && file.emptyLog());
      },
    });
    return { file, replica, release };
  } catch (error) {
    release();
    throw error;
  }
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch (error) {
    // It is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
