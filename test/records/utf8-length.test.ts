// The length of a text in UTF-8 equals that of its bytes, for every text.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { utf8Length } from '../../src/records/utf8-length.js';

it('is the number of bytes of the encoded text', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' })),
      (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      },
    ),
  );
  for (const text of ['', '\ud800', '\udc00a', '\ud83d\ude00', '\ud83d\ud83d\ude00', 'é€😀'])
    expect(utf8Length(text)).toBe(Buffer.byteLength(text));
});
