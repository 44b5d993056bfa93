// The sample records as rows: "a new empty database receives sample rows".

import type { CollectionName } from '../domain/collection-name.js';
import { formatId } from '../domain/identifier.js';
import { identified, newRecord } from '../domain/record.js';
import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../domain/sample-records.js';
import type { PutRow } from './record-storage.js';

/** The rows that a storage is seeded with when it is new. */
export function sampleRows(): PutRow[] {
  const sequences = new Map<CollectionName, number>();
  return SAMPLE_RECORDS.map(({ collection, body }, index) => {
    const sequence = (sequences.get(collection) ?? 0) + 1;
    sequences.set(collection, sequence);
    const id = formatId(collection, sequence);
    const made = newRecord(collection, JSON.stringify(body));
    if (!made.ok) throw new Error(`the sample record ${id}: ${made.failure.message}`);
    const text = identified(collection, id, SAMPLE_OWNER, made.value.text);
    const { status } = made.value;
    return { position: index + 1, collection, id, body: text, owner: SAMPLE_OWNER, status };
  });
}
