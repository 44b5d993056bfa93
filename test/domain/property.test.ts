// What the table of collections says of each property, as its readers see it.

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import {
  flag,
  moneyAbove0,
  nonEmptyText,
  propertiesIn,
  text,
} from '../../src/core/domain/property.js';

describe('propertiesIn', () => {
  const record = z.looseObject({
    productName: nonEmptyText('What it is called'),
    price: moneyAbove0('What it costs'),
    unit: text('How it is counted', 'Counted in').default('piece'),
    active: flag('Whether it is sold').default(false),
    note: text('Anything else').optional(),
  });

  it('tells kind, words, need and default; the label is made of the name if none is given', () => {
    const told = propertiesIn(record).map(
      ({ name, kind, label, description, isRequired, default: given }) => [
        name,
        kind,
        label,
        description,
        isRequired,
        given,
      ],
    );
    expect(told).toEqual([
      ['productName', 'text', 'Product name', 'What it is called', true, undefined],
      ['price', 'money', 'Price', 'What it costs', true, undefined],
      ['unit', 'text', 'Counted in', 'How it is counted', false, 'piece'],
      ['active', 'flag', 'Active', 'Whether it is sold', false, false],
      ['note', 'text', 'Note', 'Anything else', false, undefined],
    ]);
  });

  it('refuses a schema that is of no kind, and names its property', () => {
    const foreign = z.looseObject({ colour: z.string().optional() });
    expect(() => propertiesIn(foreign)).toThrow('the property colour has no kind');
  });
});

it.each(COLLECTION_NAMES)('%s: lists name properties of the record', (name) => {
  const { properties, columns } = COLLECTIONS[name];
  const known = properties.map((property) => property.name);
  // The contract names no property of the team but two; the sample records have a role.
  expect([...known, ...(name === 'team' ? ['role'] : [])]).toEqual(
    expect.arrayContaining([...columns]),
  );
});
