// How a request's URL becomes the path that is routed (contract, "Endpoints";
// "Segments are percent-decoded once").

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalPath } from '../../src/core/http/path.js';

const pathOf = (target: string) => canonicalPath(new Request(`http://localhost:8080${target}`));

/** A text that a segment can encode: not empty, no control character, no lone surrogate, no dots alone. */
const segment = fc
  .string({ unit: 'binary', minLength: 1 })
  .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text) && !/^\.{1,2}$/.test(text));

/** Every byte as an escape: the longest spelling of a segment. */
function escaped(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

describe('canonicalPath', () => {
  // What a client can send: test/contract/routing.test.ts.
  it.each([
    ['?page=1', '/'],
    ['', '/'],
    ['/auth0|1', '/auth0|1'],
    ['/auth0%7c1', '/auth0%7C1'],
    ['/é', '/%C3%A9'],
  ])('turns %s into %s', (target, path) => {
    expect(pathOf(target)).toBe(path);
  });

  it('gives all escaped spellings of a path the same form', () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), (segments) => {
        const longest = pathOf(`/${segments.map(escaped).join('/')}`);
        expect(longest).toBe(`/${segments.map(encodeURIComponent).join('/')}`);
        expect(pathOf(longest)).toBe(longest);
      }),
    );
  });
});
