// The names of the collections: which words are one, and a value for each of them.

import { expect, it } from 'vitest';
import {
  byCollection,
  COLLECTION_NAMES,
  isCollectionName,
} from '../../src/core/domain/collection-name.js';

it('accepts the six names and no other word', () => {
  expect(COLLECTION_NAMES.filter(isCollectionName)).toEqual([...COLLECTION_NAMES]);
  const others = ['payments', 'Customers', 'customer', '', 'constructor', '__proto__'];
  expect(others.filter(isCollectionName)).toEqual([]);
});

it('makes a value for each name, in their order', () => {
  const made = byCollection((name) => `made for ${name}`);
  expect(Object.entries(made)).toEqual(COLLECTION_NAMES.map((name) => [name, `made for ${name}`]));
});
