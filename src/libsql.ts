// The package's second entry, for Node: the storage over a local libSQL file.

export type { RecordStorage } from './core/records/record-storage.js';
export type { Backup } from './storage/file/file-backup.js';
export type { DatabaseContents } from './storage/file/file-schema.js';
export {
  type FileStorage,
  type LibsqlStorageOptions,
  openLibsqlStorage,
  type ReplicationOptions,
} from './storage/file/file-storage.js';
export type { ReplicaReport } from './storage/replication/replica.js';
