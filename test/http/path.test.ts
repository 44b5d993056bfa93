// How a request's URL becomes the path that is routed (contract, "Endpoints";
// "Segments are percent-decoded once").

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalPath, ownerOf, queryOf } from '../../src/core/http/path.js';

const pathOf = (target: string) => canonicalPath(new Request(`http://localhost:8080${target}`));

/** A text that a segment can stand for: not empty, no control character, no lone surrogate, no dots alone. */
const segment = fc
  .string({ unit: 'binary', minLength: 1 })
  .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text) && !/^\.{1,2}$/.test(text));

/** Every byte as an escape: the longest spelling of a segment. */
function escaped(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

describe('canonicalPath', () => {
  it.each([
    ['/api/v1/customers', '/api/v1/customers'],
    ['/api/v1/customers?q=/x%zz', '/api/v1/customers'],
    ['/api/v1/customers#/x', '/api/v1/customers'],
    ['?page=1', '/'],
    ['', '/'],
    ['//double/', '//double/'],
    ['/custom%65rs', '/customers'],
    ['/CUS%2D0001', '/CUS-0001'],
    ['/a%2Fb', '/a%2Fb'],
    ['/auth0|1', '/auth0|1'],
    ['/auth0%7c1', '/auth0%7C1'],
    ['/é', '/%C3%A9'],
    ['/%252D', '/%252D'],
    ['/100%25', '/100%25'],
  ])('%s is %s', (target, path) => {
    expect(pathOf(target)).toBe(path);
  });

  it.each(['%', '%z', '%zz', '%2', 'a%2', '%u0041', '%C3', '%FF', '%C0%80', '%ED%A0%80'])(
    'a broken escape (%s) leaves an empty segment and its neighbours',
    (broken) => {
      expect(pathOf(`/api/${broken}/v%31`)).toBe('/api//v1');
    },
  );

  it.each(['%00', '%09', '%0A', '%1F', '%7F', 'a%0Db', '%C2%80', '%C2%9F'])(
    'an encoded control character (%s) leaves an empty segment',
    (control) => {
      expect(pathOf(`/customers/${control}`)).toBe('/customers/');
    },
  );

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

describe('ownerOf', () => {
  it.each([
    ['~.', '.'],
    ['~..', '..'],
    ['~~.', '~.'],
    ['~...', '~...'],
    ['~.x', '~.x'],
    ['x~.', 'x~.'],
    ['~', '~'],
  ])('the segment %s names the account %s', (segment, owner) => {
    expect(ownerOf(segment)).toBe(owner);
  });
});

describe('queryOf', () => {
  it.each([
    ['/a', []],
    ['/a?', []],
    ['/a?b', [['b', '']]],
    ['/a?b=1&b=2', ['b', 'b'].map((name, i) => [name, `${i + 1}`])],
    ['/a?q=a+b%20c%2B', [['q', 'a b c+']]],
    ['/a?q=x?y', [['q', 'x?y']]],
    ['/a?q=x#y', [['q', 'x']]],
  ])('%s', (target, pairs) => {
    expect([...queryOf(new Request(`http://localhost${target}`))]).toEqual(pairs);
  });
});
