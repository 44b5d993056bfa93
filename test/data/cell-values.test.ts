// Numbers as spreadsheets write them are parsed unambiguously, or refused.

import { expect, it } from 'vitest';
import { type DecimalMark, numberOfText } from '../../src/tools/data/cell-values.js';

it.each<[string, number, DecimalMark?]>([
  ['15000', 15000],
  ['-3', -3],
  ['0013', 13],
  ['12,5', 12.5],
  ['1.000,50', 1000.5],
  ['1,000.50', 1000.5],
  ['1.000.000', 1_000_000],
  ["1'000'000", 1_000_000],
  ['1\u00a0000\u202f000', 1_000_000],
  ['1234.567', 1234.567],
  ['0.500', 0.5],
  ['1.000', 1, '.'],
  ['1.000', 1000, ','],
])('The text %j is the number %d (decimal mark: %s)', (text, value, mark) => {
  expect(numberOfText(text, mark)).toEqual({ ok: true, value });
});

it.each<[string, string, DecimalMark?]>([
  ...['', 'TZS 5000', '5000/=', '1e5', '0x10', '12,34,567', '1.000 000', '.5', 'Infinity', '٣'].map(
    (text): [string, string] => [text, 'is not a number'],
  ),
  ['1,00', 'is not a number', '.'],
  ['1.5', 'is not a number', ','],
  ['1.000', 'could be 1 or 1000; pass --decimal'],
  ['999,999', 'could be 999999 or 999.999'],
  ['12345678901234567890', 'has more than 15 digits'],
  ['1.00000000000000001', 'has more than 15 digits'],
])('The text %j is refused: it %s (decimal mark: %s)', (text, words, mark) => {
  expect(numberOfText(text, mark)).toMatchObject({ problem: expect.stringContaining(words) });
});
