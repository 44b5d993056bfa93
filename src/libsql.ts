// The package's second entry, for Node: the storage over a local libSQL file.

import type { RecordStorage } from './core/records/record-storage.js';
import { sampleRows } from './core/records/sample-rows.js';
import type { Backup, DatabaseContents } from './storage/backup/backups.js';
import {
  type FileStorage,
  openLibsqlStorage as open,
  type ReplicationOptions,
} from './storage/file/file-storage.js';
import type { ReplicaReport } from './storage/replication/replica.js';

/**
 * Opens a local libSQL file for this process alone.
 * Rejects with one sentence where the file is held by another process, damaged,
 * of another program, newer than this release, or not writable; and where it is missing or
 * empty, and its folder, a backup or a replica shows that there is an earlier one.
 */
export function openLibsqlStorage(options: {
  path: string;
  /** Whether a new file receives the sample rows of the reserved subject `local-preview`. Default: true. */
  sampleRows?: boolean | undefined;
  /** Default: no replica. */
  replication?: ReplicationOptions | undefined;
  /** Where backups of the file are. One of them shows that a missing file was there. */
  backupFolder?: string | undefined;
  /** Makes a new database also where an earlier one is known to have been. */
  createAnyway?: boolean | undefined;
}): Promise<FileStorage> {
  const { sampleRows: hasSamples = true } = options;
  return open({ ...options, initialRows: hasSamples ? sampleRows() : [] });
}

export type {
  Backup,
  DatabaseContents,
  FileStorage,
  RecordStorage,
  ReplicaReport,
  ReplicationOptions,
};
