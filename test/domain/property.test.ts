// What the table of collections says of each property, as its readers see it.

import { expect, it } from 'vitest';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import { flag, nonEmptyText, propertiesIn, text } from '../../src/core/domain/property.js';

it('A property has its kind, words, need and default; its label is made of the name if none is given', () => {
  const properties = propertiesIn({
    productName: nonEmptyText('What it is called'),
    unit: text('How it is counted', { label: 'Counted in', default: 'piece' }),
    active: flag('Whether it is sold', { default: false }),
    note: text('Anything else'),
  });
  expect(
    properties.map((each) => [each.name, each.kind, each.label, each.isRequired, each.default]),
  ).toEqual([
    ['productName', 'text', 'Product name', true, undefined],
    ['unit', 'text', 'Counted in', false, 'piece'],
    ['active', 'flag', 'Active', false, false],
    ['note', 'text', 'Note', false, undefined],
  ]);
});

it.each(COLLECTION_NAMES)('Lists of %s show properties of the record', (name) => {
  const { properties, columns } = COLLECTIONS[name];
  const known = properties.map((property) => property.name);
  // The contract names no property of the team but two; the sample records have a role.
  expect([...known, ...(name === 'team' ? ['role'] : [])]).toEqual(
    expect.arrayContaining([...columns]),
  );
});
