// Whose records a database file holds, for a restore that must know who is back.

import { Connection } from '../file/connection.js';
import { COLUMNS_VERSION } from '../file/file-schema.js';

/** A backup of an earlier release has no column for it. */
const OWNERS = (version: number) => `
  select ${version < COLUMNS_VERSION ? "body ->> '$.owner_sub'" : 'owner'} as subject, min(created_at) as oldest
    from records group by subject having typeof(subject) = 'text'`;

export interface Owner {
  readonly subject: string;
  /** When its oldest record was made, milliseconds since 1970, UTC. */
  readonly oldest: number;
}

/** Reads a file that no service holds. */
export function ownersIn(path: string): Owner[] {
  const connection = new Connection(path, { busyTimeoutMs: 5_000 });
  try {
    const version = Number(connection.value('pragma user_version'));
    const rows = connection.rows(OWNERS(version));
    return rows.map((row) => ({ subject: String(row['subject']), oldest: Number(row['oldest']) }));
  } finally {
    connection.close();
  }
}
