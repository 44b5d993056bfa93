// What people see of the table of collections.

import { expect, it } from 'vitest';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';

it('The label of a property defaults to its name', () => {
  const labels = COLLECTIONS.orders.properties.map(({ label }) => label);
  expect(labels.slice(-3)).toEqual(['Phone', 'Template', 'Custom fields']);
});

it.each(COLLECTION_NAMES)('Lists of %s show properties of the record', (name) => {
  const { properties, columns } = COLLECTIONS[name];
  const known = properties.map((property) => property.name);
  // The contract names only two properties of the team; the sample records have a role.
  expect([...known, ...(name === 'team' ? ['role'] : [])]).toEqual(
    expect.arrayContaining([...columns]),
  );
});
