// The length of a text in UTF-8 equals that of its bytes, for every text.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { utf8Length } from '../../src/core/records/utf8-length.js';

it('The UTF-8 length of random texts is the number of their encoded bytes', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' })),
      (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      },
    ),
  );
});

it.each([
  '',
  'é€😀',
  '\ud83d\ud83d\ude00',
  // The first and the last character of each length in bytes.
  ...'\u0000\u007f\u0080\u07ff\u0800\uffff\u{10000}\u{10ffff}',
  // Halves of a pair, alone and beside other characters.
  ...['\ud800', '\udbff', '\udc00', '\udfff'].flatMap((half) =>
    ['a', 'é', '\ud7ff', '\ue000'].flatMap((other) => [half, half + other, other + half]),
  ),
])('The UTF-8 length of %j is the number of its encoded bytes', (text) => {
  expect(utf8Length(text)).toBe(Buffer.byteLength(text));
});
