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

  it('tells the required properties, and the defaults of others', () => {
    const properties = propertiesIn(record);
    expect(properties.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['productName', true],
      ['price', true],
      ['unit', false],
      ['active', false],
      ['note', false],
    ]);
    const defaults = properties.map((property) => property.default);
    expect(defaults).toEqual([undefined, undefined, 'piece', false, undefined]);
  });

  it('tells kind, description and label; the label is made of the name where none is given', () => {
    const shown = propertiesIn(record).map(({ kind, label, description }) => [
      kind,
      label,
      description,
    ]);
    expect(shown).toEqual([
      ['text', 'Product name', 'What it is called'],
      ['money', 'Price', 'What it costs'],
      ['text', 'Counted in', 'How it is counted'],
      ['flag', 'Active', 'Whether it is sold'],
      ['text', 'Note', 'Anything else'],
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
