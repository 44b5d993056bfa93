// The table of collections that tests keep in their own words, so that the service is not
// judged by itself: it has the same collections as the service, and the same rules.

import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import { COLLECTION_TABLE, leastBody, COLLECTIONS as NAMES } from '../support/collection-table.js';

it('test/support/collection-table.ts has every collection of the service', () => {
  expect(NAMES).toEqual([...COLLECTION_NAMES]);
  expect(COLLECTION_TABLE.map(({ name }) => name)).toEqual([...COLLECTION_NAMES]);
});

describe.each(COLLECTION_TABLE)('The rules of $name', (row) => {
  const { idPrefix, idDigitsMin, required, defaults } = COLLECTIONS[row.name];

  it('are those of the contract’s tables', () => {
    expect([row.idPrefix, row.idDigitsMin]).toEqual([idPrefix, idDigitsMin]);
    expect(row.defaults).toEqual(defaults);
    expect(Object.keys(leastBody(row)).sort()).toEqual([...required].sort());
  });
});
