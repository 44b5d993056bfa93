// The settings of a connection on which every promise about the file rests. They are set
// and then read back, because SQLite does not report a setting that it did not take.

import type { Connection } from './connection.js';

/**
 * - `alone`: no other process can open the file.
 * - `shared`: Litestream reads it, and alone writes the log back into it.
 */
export type Locking = 'alone' | 'shared';

export function lockingOf(holding: Locking): string {
  return `pragma locking_mode = ${modeOf(holding)}`;
}

/** Sets them all on the connection. Throws if one is not in force. */
export function putInForce(connection: Connection, holding: Locking): void {
  connection.value(lockingOf(holding));
  connection.value('pragma journal_mode = wal');
  connection.value('pragma synchronous = full');
  // SQLite overwrites removed and replaced content with zeros.
  connection.value('pragma secure_delete = on');
  expectPragma(connection, 'locking_mode', modeOf(holding));
  expectPragma(connection, 'journal_mode', 'wal');
  expectPragma(connection, 'synchronous', 2);
  expectPragma(connection, 'secure_delete', 1);
  if (holding === 'alone') return;
  // This client's SQLite may lose a commit if it writes the log back while another process writes.
  connection.value('pragma wal_autocheckpoint = 0');
  expectPragma(connection, 'wal_autocheckpoint', 0);
}

function expectPragma(connection: Connection, name: string, wanted: string | number): void {
  const given = connection.value(`pragma ${name}`);
  if (given !== wanted) throw new Error(`pragma ${name} is ${given}, must be ${wanted}`);
}

function modeOf(holding: Locking): 'exclusive' | 'normal' {
  return holding === 'alone' ? 'exclusive' : 'normal';
}
