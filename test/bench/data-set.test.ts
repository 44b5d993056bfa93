// Which records the benchmark asks for: each must be the named account's own.

import { describe, expect, it } from 'vitest';
import { sampleOf } from '../../scripts/bench/data-set.js';

const DATA = {
  file: '',
  payloadBytes: 0,
  accounts: [
    { prefix: 'one', owners: 1, records: 10, first: 1 },
    { prefix: 'many', owners: 3, records: 12, first: 11 },
  ],
};

describe('sampleOf', () => {
  it('spreads over all records of a group', () => {
    expect(sampleOf(DATA, 'one', 2)).toEqual([
      { owner: 'one-0', id: 'CUS-0001' },
      { owner: 'one-0', id: 'CUS-0006' },
    ]);
  });

  it('names the owner of each record: the accounts take turns', () => {
    expect(sampleOf(DATA, 'many', 4)).toEqual([
      { owner: 'many-0', id: 'CUS-0011' },
      { owner: 'many-1', id: 'CUS-0015' },
      { owner: 'many-2', id: 'CUS-0019' },
      { owner: 'many-0', id: 'CUS-0020' },
    ]);
  });

  it('spreads over the accounts when there are more accounts than wanted records', () => {
    expect(sampleOf(DATA, 'many', 2).map(({ owner }) => owner)).toEqual(['many-0', 'many-1']);
    expect(new Set(sampleOf(DATA, 'many', 12).map(({ owner }) => owner)).size).toBe(3);
  });

  it('is no larger than the group', () => {
    expect(sampleOf(DATA, 'one', 100)).toHaveLength(10);
  });
});
