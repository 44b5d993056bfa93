// The records of a file beside the values that its writers know, by reading without the service.

import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';

export interface Comparison {
  readonly checked: number;
  /** Records that are missing, that are there against expectation, or that have another value. */
  readonly differences: number;
  /** `ok`, or the first finding. */
  readonly integrity: string;
}

/** `known`: the property `value` that each record must have, by its id; no other record has one. */
export async function compared(
  file: string,
  known: ReadonlyMap<string, number>,
): Promise<Comparison> {
  const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 });
  try {
    const check = await client.execute('pragma integrity_check');
    const { rows } = await client.execute(
      "select id, body ->> '$.value' as value from records where body ->> '$.value' is not null",
    );
    const stored = new Map(rows.map((row) => [String(row['id']), Number(row['value'])]));
    let differences = 0;
    for (const [id, value] of known) {
      if (stored.get(id) !== value) differences++;
      stored.delete(id);
    }
    return {
      checked: known.size,
      // What is left was deleted, or never acknowledged.
      differences: differences + stored.size,
      integrity: String(check.rows[0]?.[0]),
    };
  } finally {
    client.close();
  }
}
