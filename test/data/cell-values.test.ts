// Numbers as spreadsheets write them: read in one way, or refused.

import { expect, it } from 'vitest';
import { type DecimalMark, numberOfText } from '../../src/tools/data/cell-values.js';

it.each<[string, DecimalMark | undefined, number]>([
  ['15000', undefined, 15000],
  ['-3', undefined, -3],
  ['0013', undefined, 13],
  ['12,5', undefined, 12.5],
  ['1.000,50', undefined, 1000.5],
  ['1,000.50', undefined, 1000.5],
  ['1.000.000', undefined, 1_000_000],
  ["1'000'000", undefined, 1_000_000],
  ['1\u00a0000\u202f000', undefined, 1_000_000],
  ['1234.567', undefined, 1234.567],
  ['0.500', undefined, 0.5],
  ['1.000', '.', 1],
  ['1.000', ',', 1000],
])('The text %j with the decimal mark %j is the number %d', (text, mark, value) => {
  expect(numberOfText(text, mark)).toMatchObject({ ok: true, value });
});

it.each<[string, DecimalMark?]>([
  ...['', 'TZS 5000', '5000/=', '1e5', '0x10', '12,34,567', '1.000 000', '.5', 'Infinity', '٣'].map(
    (text): [string] => [text],
  ),
  ['1,00', '.'],
  ['1.5', ','],
])('The text %j with the decimal mark %j is no number', (text, mark) => {
  expect(numberOfText(text, mark)).toMatchObject({
    problem: expect.stringContaining('is not a number'),
  });
});

it.each([
  ['1.000', 'could be 1 or 1000; pass --decimal'],
  ['999,999', 'could be 999999 or 999.999'],
  ['12345678901234567890', 'has more than 15 digits'],
  ['1.00000000000000001', 'has more than 15 digits'],
])('The text %j is refused: it %s', (text, words) => {
  expect(numberOfText(text)).toMatchObject({ problem: expect.stringContaining(words) });
});
