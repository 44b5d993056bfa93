// Whose records a database file holds, for a restore that must know who is back.

import { Connection } from '../file/connection.js';

/** From the body, as the service itself reads it. */
const OWNERS = `
  select body ->> '$.owner_sub' as owner, min(created_at) as oldest
    from records group by owner having typeof(owner) = 'text'`;

export interface Owner {
  readonly subject: string;
  /** When its oldest record was made, milliseconds since 1970, UTC. */
  readonly oldest: number;
}

/** Reads a file that no service holds. */
export function* ownersIn(path: string): Generator<Owner, void> {
  const connection = new Connection(path, { busyTimeoutMs: 5_000 });
  try {
    for (const row of connection.rows(OWNERS)) {
      yield { subject: String(row['owner']), oldest: Number(row['oldest']) };
    }
  } finally {
    connection.close();
  }
}
