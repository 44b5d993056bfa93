// The setting of the second place: whether Litestream keeps a replica, and where it is asked.

import { type Environment, quoted, read, SettingError } from './setting-values.js';

export interface ReplicationSettings {
  /** Path of Litestream's control socket. */
  readonly socketPath: string;
}

const SOCKET_PATH = '/var/run/litestream.sock';
/** The system's limit of a socket's path. */
const SOCKET_PATH_MAX_BYTES = 107;

/** Undefined: there is no replica. Throws a `SettingError` for a setting that cannot be used. */
export function readReplication(environment: Environment): ReplicationSettings | undefined {
  const socketPath = read(environment, 'REPLICATION', socketOf, undefined);
  if (socketPath === undefined) return undefined;
  if (environment['BACKUP_DIR']) {
    throw new SettingError(
      'BACKUP_DIR',
      'set beside REPLICATION=async',
      "unset: Litestream's snapshots take the place of backups",
    );
  }
  return { socketPath };
}

function socketOf(name: string, text: string): string | undefined {
  if (text === 'off') return undefined;
  if (text === 'async') return SOCKET_PATH;
  const path = /^async:([^\0]+)$/.exec(text)?.[1];
  if (path !== undefined && path.length <= SOCKET_PATH_MAX_BYTES) return path;
  const wanted = `off, async, or async: with a path of at most ${SOCKET_PATH_MAX_BYTES} bytes`;
  const instead =
    text === 'sync'
      ? `${wanted}; to lose no acknowledged write with a machine, use Postgres with a synchronous standby`
      : wanted;
  throw new SettingError(name, quoted(text), instead);
}
