// The settings of the second place: whether Litestream keeps a replica, and where it is asked.

import { type Environment, quoted, read, SettingError } from './setting-values.js';

export interface ReplicationSettings {
  /**
   * `off`: there is no replica. `async`: a write is acknowledged when this disk has it.
   * `sync`: when the replica has it.
   */
  readonly mode: 'off' | 'async' | 'sync';
  /** Path of Litestream's control socket. */
  readonly socketPath: string;
}

/** Of a service that has a replica. */
export type ReplicaSettings = ReplicationSettings & { readonly mode: 'async' | 'sync' };

/** Throws a `SettingError` for the first setting that cannot be used. */
export function readReplication(environment: Environment): ReplicationSettings {
  const mode = read(environment, 'REPLICATION', replicationMode, 'off');
  const socket = '/var/run/litestream.sock';
  const socketPath = read(environment, 'LITESTREAM_SOCKET', socketFile, socket);
  if (mode !== 'off' && environment['BACKUP_DIR']) {
    throw new SettingError(
      'BACKUP_DIR',
      `set beside REPLICATION=${mode}`,
      "unset: Litestream's snapshots take the place of backups",
    );
  }
  return { mode, socketPath };
}

export function replicaSettings({
  mode,
  socketPath,
}: ReplicationSettings): ReplicaSettings | undefined {
  return mode === 'off' ? undefined : { mode, socketPath };
}

function replicationMode(name: string, text: string): ReplicationSettings['mode'] {
  if (text === 'off' || text === 'async' || text === 'sync') return text;
  throw new SettingError(name, quoted(text), 'off, async or sync');
}

/** The system's limit of a socket's path. */
const SOCKET_PATH_MAX_BYTES = 107;

function socketFile(name: string, text: string): string {
  if (!text.includes('\0') && text.length <= SOCKET_PATH_MAX_BYTES) return text;
  throw new SettingError(name, quoted(text), `a path of at most ${SOCKET_PATH_MAX_BYTES} bytes`);
}
