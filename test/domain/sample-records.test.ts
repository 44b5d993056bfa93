// Contract, "Common record rules": the rows that a new database receives. They are what a client's
// developer sees first, so they must follow its rules.

import { expect, it } from 'vitest';
import { formatId } from '../../src/core/domain/identifier.js';
import { newRecord, withServerFields } from '../../src/core/domain/record.js';
import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../../src/core/domain/sample-records.js';
import { sampleRows } from '../../src/core/records/sample-rows.js';

it('Sample rows are what creates would store, with positions from 1', () => {
  for (const [index, { position, collection, id, body, owner, status }] of sampleRows().entries()) {
    const made = newRecord(collection, JSON.stringify(SAMPLE_RECORDS[index]?.body));
    if (!made.ok) throw new Error(`${id}: ${made.failure.message}`);
    expect(body).toBe(withServerFields(collection, id, SAMPLE_OWNER, made.value.text));
    expect([position, owner, status]).toEqual([index + 1, SAMPLE_OWNER, made.value.status]);
    const before = sampleRows().slice(0, index);
    const number = before.filter((row) => row.collection === collection).length + 1;
    expect(id).toBe(formatId(collection, number));
  }
});
