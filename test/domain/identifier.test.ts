// Contract, "Identifiers": prefixes, digits, and the number an id stands for.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { formatId, keyOf, sequenceOf } from '../../src/core/domain/identifier.js';

it('formatId and sequenceOf are inverse, and no two ids are equal', () => {
  const number = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(fc.constantFrom(...COLLECTION_NAMES), number, number, (name, a, b) => {
      expect(sequenceOf(name, formatId(name, a))).toBe(a);
      expect(formatId(name, a) === formatId(name, b)).toBe(a === b);
    }),
  );
});

describe('sequenceOf', () => {
  it('is 0 for a non-standard id, which does not affect the next number', () => {
    const others = 'ORD-0042 cus-0042 CUS- 0042 CUS--42 CUS-4.2 CUS-4e2 CUS-0x2A CUS-0042a CUS-٤٢';
    const ids = [...others.split(' '), '', 'CUS- 42', 'CUS-0042\n', 'CUS-9007199254740992'];
    ids.push(`CUS-${'9'.repeat(1000)}`);
    expect(ids.filter((id) => sequenceOf('customers', id) !== 0)).toEqual([]);
  });

  it.each(['CUS-42', 'CUS-000000000042'])('reads %s, which formatId would not write', (id) => {
    expect(sequenceOf('customers', id)).toBe(42);
  });
});

describe('The key of an id', () => {
  it.each([
    ['customers', 'CUS-0042', 42],
    ['services', 'SRV-07', 7],
    ['customers', 'CUS-042', 'CUS-042'],
    ['customers', 'CUS-0000', 'CUS-0000'],
    ['customers', 'CUS-', 'CUS-'],
    ['customers', 'ORD-0042', 'ORD-0042'],
    ['customers', 'CUS-99999999999999999999', 'CUS-99999999999999999999'],
  ] as const)('of %s %s is %s, from which the id is restored', (collection, id, key) => {
    expect(keyOf(collection, id)).toBe(key);
    expect(typeof key === 'number' ? formatId(collection, key) : key).toBe(id);
  });
});
