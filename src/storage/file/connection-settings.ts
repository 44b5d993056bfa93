// The settings of a connection that every promise about the file rests on: set, and then
// asked for, because SQLite does not say where it could not follow.

import type { Client } from '@libsql/client';
import { DISTRUST_SCHEMA } from './schema-check.js';

/**
 * - `alone`: no other process can open the file.
 * - `shared`: Litestream reads it, and alone writes the log back into it.
 */
export type Holding = 'alone' | 'shared';

export function lockingOf(holding: Holding): string {
  return `pragma locking_mode = ${modeOf(holding)}`;
}

/** Sets them all on the connection. Rejects where one is not in force. */
export async function putInForce(client: Client, holding: Holding): Promise<void> {
  await client.execute(DISTRUST_SCHEMA);
  await client.execute(lockingOf(holding));
  await client.execute('pragma journal_mode = wal');
  await client.execute('pragma synchronous = full');
  // What is removed or replaced is overwritten with zeros in its page.
  await client.execute('pragma secure_delete = on');
  await expectPragma(client, 'locking_mode', modeOf(holding));
  await expectPragma(client, 'journal_mode', 'wal');
  await expectPragma(client, 'synchronous', 2);
  await expectPragma(client, 'secure_delete', 1);
  if (holding === 'alone') return;
  // This client's SQLite may lose a commit where it writes the log back while another process writes.
  await client.execute('pragma wal_autocheckpoint = 0');
  await expectPragma(client, 'wal_autocheckpoint', 0);
}

export async function pragmaOf(client: Client, name: string): Promise<unknown> {
  return (await client.execute(`pragma ${name}`)).rows[0]?.[0];
}

async function expectPragma(client: Client, name: string, wanted: string | number): Promise<void> {
  const given = await pragmaOf(client, name);
  if (given !== wanted) throw new Error(`pragma ${name} is ${given}, must be ${wanted}`);
}

function modeOf(holding: Holding): 'exclusive' | 'normal' {
  return holding === 'alone' ? 'exclusive' : 'normal';
}
