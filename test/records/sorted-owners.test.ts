// Texts that are always in order, held against an array that is sorted each time.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OwnerIndex } from '../../src/core/records/sorted-owners.js';

/** Few, so that they come and go; many of them at the start, so that there are several chunks. */
const names = fc.integer({ min: 0, max: 5_000 }).map((number) => `name-${number}`);
const steps = fc.array(names, { maxLength: 3_000, size: 'max' });

function all(texts: OwnerIndex): string[] {
  const found: string[] = [];
  for (let next = texts.after(undefined); next !== undefined; next = texts.after(next)) {
    found.push(next);
  }
  return found;
}

it('has every text that was added and not removed, in order, for every kind of read', () => {
  const starts = fc.uniqueArray(names, { maxLength: 3_000, size: 'max' });
  fc.assert(
    fc.property(starts, steps, (start, toggled) => {
      const texts = new OwnerIndex(start);
      const expected = new Set(start);
      for (const text of toggled) {
        if (expected.delete(text)) texts.delete(text);
        else {
          expected.add(text);
          texts.add(text);
        }
      }
      const sorted = [...expected].sort();
      expect(all(texts)).toEqual(sorted);
      expect(texts.slice(0, sorted.length + 1)).toEqual(sorted);
      for (const first of [0, 1, 511, 512, 513, sorted.length - 1, sorted.length, 1e9]) {
        expect(texts.slice(first, 200)).toEqual(
          sorted.slice(Math.max(first, 0), Math.max(first, 0) + 200),
        );
      }
      for (const text of ['', 'name-17', 'name-4999x', 'zzz']) {
        expect(texts.after(text)).toBe(sorted.find((other) => other > text));
      }
    }),
    { numRuns: 30 },
  );
});

it('is empty after all were removed', () => {
  const texts = new OwnerIndex([]);
  for (let i = 0; i < 2_000; i++) texts.add(`name-${i}`);
  for (let i = 0; i < 2_000; i++) texts.delete(`name-${i}`);
  texts.delete('never was');
  expect([texts.after(undefined), texts.slice(0, 9)]).toEqual([undefined, []]);
});
