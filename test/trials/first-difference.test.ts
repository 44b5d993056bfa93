// The message of the model trial: the first place where two answers differ.

import { expect, it } from 'vitest';
import { firstDifference } from './model/first-difference.js';

it.each<[unknown, unknown, string]>([
  [1, 2, '$: expected 2, got 1'],
  [{ a: [{ b: 'x' }] }, { a: [{ b: 'y' }] }, '$.a[0].b: expected "y", got "x"'],
  [[1], [1, { c: 3 }], '$[1]: expected {"c":3}, got nothing'],
  [[1, 2], [1], '$[1]: expected nothing, got 2'],
  [{ 'a b': null }, {}, '$["a b"]: expected nothing, got null'],
  [{}, { a: 0 }, '$.a: expected 0, got nothing'],
  [[], {}, '$: expected {}, got []'],
  [null, {}, '$: expected {}, got null'],
  [undefined, 404, '$: expected 404, got undefined'],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
    'the order of properties of $: expected ["b","a"], got ["a","b"]',
  ],
])('of %j and %j', (found, expected, text) => {
  expect(firstDifference(found, expected, { isOrdered: true })).toBe(text);
});

it('is none between equal values, and the first of several', () => {
  const value = { a: [1, { b: null }], c: 'é' };
  expect(firstDifference(value, structuredClone(value))).toBeUndefined();
  expect(firstDifference({ a: 1, b: 2 }, { b: 2, a: 1 })).toBeUndefined();
  expect(firstDifference({ a: 1, b: 1 }, { a: 2, b: 2 })).toBe('$.a: expected 2, got 1');
});

it('shortens a long value and says how long it is', () => {
  const text = firstDifference('x'.repeat(5_000), '') ?? '';
  expect(text).toContain('… (5002 characters)');
  expect(text.length).toBeLessThan(300);
});
