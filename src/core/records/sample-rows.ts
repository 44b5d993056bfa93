// The sample records as rows: "a new empty database receives sample rows".

import { statusOf } from '../domain/record.js';
import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../domain/sample-records.js';
import type { PutRow } from './record-storage.js';

/** The rows that a storage is seeded with when it is new. */
export function sampleRows(): PutRow[] {
  return SAMPLE_RECORDS.map(({ collection, id, body }, index) => {
    const mirror = collection === 'businesses' && { ownerSub: SAMPLE_OWNER };
    const text = JSON.stringify({ id, owner_sub: SAMPLE_OWNER, ...mirror, ...body });
    const owner = SAMPLE_OWNER;
    return { position: index + 1, collection, id, body: text, owner, status: statusOf(body) };
  });
}
