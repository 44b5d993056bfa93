// The list of records that got a new id, as CSV.

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import type { Renumbered } from '../../storage/move/renumbering.js';

const OWNER_ONLY = 0o600;
const HEAD = ['account', 'collection', 'old_id', 'new_id'];

/**
 * Resolves with the number of records when the list is at the path. Writes no list if
 * there is no record. Rejects when the disk fails, and leaves no part of a list.
 */
export async function writeNewIds(path: string, renumbered: Iterable<Renumbered>): Promise<number> {
  const rows = renumbered[Symbol.iterator]();
  const first = rows.next();
  if (first.done) return 0;
  const part = `${path}.part`;
  let count = 0;
  function* lines() {
    yield stringify([HEAD]);
    for (let row: IteratorResult<Renumbered> = first; !row.done; row = rows.next()) {
      const { owner, collection, oldId, newId } = row.value;
      yield stringify([[owner, collection, oldId, newId]]);
      count++;
    }
  }
  try {
    const list = createWriteStream(part, { mode: OWNER_ONLY, flush: true });
    await pipeline(Readable.from(lines()), list);
    await rename(part, path);
  } finally {
    rows.return?.();
    await rm(part, { force: true });
  }
  return count;
}
