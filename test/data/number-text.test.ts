// Numbers as spreadsheets write them: read in one way, or refused.

import { expect, it } from 'vitest';
import { type DecimalMark, numberOfText } from '../../src/tools/data/import/number-text.js';

it.each<[string, DecimalMark | undefined, number]>([
  ['15000', undefined, 15000],
  [' 15000 ', undefined, 15000],
  ['-3', undefined, -3],
  ['+3', undefined, 3],
  ['0013', undefined, 13],
  ['12.5', undefined, 12.5],
  ['12,5', undefined, 12.5],
  ['1.000,50', undefined, 1000.5],
  ['1,000.50', undefined, 1000.5],
  ['1,000,000', undefined, 1_000_000],
  ['1.000.000', undefined, 1_000_000],
  ["1'000'000", undefined, 1_000_000],
  ['1\u00a0000\u202f000', undefined, 1_000_000],
  ['1 000,5', undefined, 1000.5],
  ['1234.567', undefined, 1234.567],
  ['0.500', undefined, 0.5],
  ['1.000', '.', 1],
  ['1.000', ',', 1000],
  ['1,000', '.', 1000],
  ['1,000', ',', 1],
])('The text %j with the decimal mark %j is the number %d', (text, mark, value) => {
  expect(numberOfText(text, mark)).toEqual({ ok: true, value });
});

it.each<[string, DecimalMark | undefined, RegExp]>([
  ['1.000', undefined, /could be 1 or 1000; pass --decimal/],
  ['999,999', undefined, /could be 999999 or 999\.999/],
  ['', undefined, /is no number/],
  ['TZS 5000', undefined, /without currency/],
  ['5000/=', undefined, /is no number/],
  ['1e5', undefined, /is no number/],
  ['0x10', undefined, /is no number/],
  ['12,34,567', undefined, /is no number/],
  ['1,00', '.', /is no number; it must be digits with "\."/],
  ['1.5', ',', /is no number/],
  ['1.000 000', undefined, /is no number/],
  ['.5', undefined, /is no number/],
  ['Infinity', undefined, /is no number/],
  ['٣', undefined, /is no number/],
  ['12345678901234567890', undefined, /more than 15 digits/],
])('The text %j with the decimal mark %j is refused', (text, mark, problem) => {
  const outcome = numberOfText(text, mark);
  expect(outcome.ok).toBe(false);
  expect(outcome.ok || outcome.problem).toMatch(problem);
});
