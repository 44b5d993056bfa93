// Whose records a database file holds, for a restore that must know who is back.

import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';

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
export async function* ownersIn(path: string): AsyncGenerator<Owner, void> {
  const client = createClient({ url: pathToFileURL(path).href, concurrency: 1, timeout: 5_000 });
  try {
    const { rows } = await client.execute(OWNERS);
    for (const row of rows) {
      yield { subject: String(row['owner']), oldest: Number(row['oldest']) };
    }
  } finally {
    client.close();
  }
}
