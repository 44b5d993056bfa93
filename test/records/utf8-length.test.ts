// The length of a text in UTF-8 equals that of its bytes, for every text.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { utf8Length } from '../../src/core/records/utf8-length.js';

/** Halves of a pair, alone and beside other characters. */
const halves = ['\ud800', '\udbff', '\udc00', '\udfff'].flatMap((half) =>
  ['a', 'é', '\ud7ff', '\ue000'].flatMap((other) => [half, half + other, other + half]),
);

it('The UTF-8 length of a text is the number of its encoded bytes', () => {
  const expectLength = (of: string) => void expect(utf8Length(of), of).toBe(Buffer.byteLength(of));
  fc.assert(fc.property(fc.string({ unit: 'binary' }), expectLength));
  // With the first and the last character of each length in bytes.
  const borders = '\u0000\u007f\u0080\u07ff\u0800\uffff\u{10000}\u{10ffff}';
  for (const of of ['', '\ud83d\ud83d\ude00', ...borders, ...halves]) expectLength(of);
});
