// Tables that tests keep in their own words, so that the service is not judged by
// itself: they have the same collections as the service, and the same rules.

import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES } from '../../src/domain/collection-name.js';
import { COLLECTIONS } from '../../src/domain/collections.js';
import { COLLECTION_TABLE, leastBody } from '../support/collection-table.js';
import { COLLECTIONS as MODEL_COLLECTIONS, RULES } from '../trials/model/account-model.js';

it.each([
  ['test/support/collection-table.ts', COLLECTION_TABLE.map(({ name }) => name)],
  ['COLLECTIONS in test/trials/model/account-model.ts', MODEL_COLLECTIONS],
  ['RULES in test/trials/model/account-model.ts', Object.keys(RULES)],
])('%s has every collection of the service', (_, names) => {
  expect(names).toEqual([...COLLECTION_NAMES]);
});

describe.each(COLLECTION_TABLE)('The rules of $name', (row) => {
  const { idPrefix, idDigitsMin, required, defaults } = COLLECTIONS[row.name];

  it('are those of the contract’s tables', () => {
    expect([row.idPrefix, row.idDigitsMin]).toEqual([idPrefix, idDigitsMin]);
    expect(row.defaults).toEqual(defaults);
    expect(Object.keys(leastBody(row)).sort()).toEqual(Object.keys(required.shape).sort());
  });

  it('are those of RULES in test/trials/model/account-model.ts', () => {
    const { prefix, digits, texts, numbers, defaults: modelled } = RULES[row.name];
    expect([prefix, digits, texts, numbers]).toEqual([
      row.idPrefix,
      row.idDigitsMin,
      row.texts,
      row.numbers,
    ]);
    expect(modelled).toEqual(row.defaults);
  });
});
