// The list of records that got a new id, as CSV.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import type { Renumbered } from '../storage/move/renumbering.js';

const OWNER_ONLY = 0o600;

/** Resolves with the number of records when the list is at the path; writes none where there is no record. */
export async function writeNewIds(path: string, renumbered: Iterable<Renumbered>): Promise<number> {
  const part = `${path}.part`;
  let stream: ReturnType<typeof createWriteStream> | undefined;
  let count = 0;
  for (const { owner, collection, oldId, newId } of renumbered) {
    if (stream === undefined) {
      stream = createWriteStream(part, { mode: OWNER_ONLY, flush: true });
      stream.write(stringify([['account', 'collection', 'old_id', 'new_id']]));
    }
    if (!stream.write(stringify([[owner, collection, oldId, newId]]))) await once(stream, 'drain');
    count++;
  }
  if (stream === undefined) return 0;
  stream.end();
  await once(stream, 'close');
  await rename(part, path);
  return count;
}
