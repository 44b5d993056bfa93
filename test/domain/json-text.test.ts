// JSON read where it stands must say what the parser says of the same text.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfString, joinedObjects, members, withoutMembers } from '../../src/domain/json-text.js';

const anyObject = fc
  .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }))
  .map((value) => JSON.parse(JSON.stringify(value)));

/** Written close together, or with white space wherever it may be. */
const spacing = fc.constantFrom('', ' ', '\n', ' \t\r');

describe('members', () => {
  it('are those that the parser finds, in the order of the text', () => {
    fc.assert(
      fc.property(anyObject, spacing, (object, space) => {
        const names = Object.keys(object);
        const written = names.map(
          (name) =>
            `${JSON.stringify(name)}${space}:${space}${JSON.stringify(object[name], null, space)}`,
        );
        const text = `${space}{${space}${written.join(`${space},${space}`)}${space}}${space}`;
        const found = [...members(text)];
        expect(found.map(({ name }) => name)).toEqual(names);
        expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(written);
        for (const { name, valueStart, end } of found) {
          expect(JSON.parse(text.slice(valueStart, end))).toEqual(object[name]);
        }
      }),
    );
  });

  it.each([
    ['{"a\\"b":"c\\\\","d":1}', ['a"b', 'd']],
    ['{"\\u0061":{"b":"}"},"":[["]"]]}', ['a', '']],
    ['{"a":1,"a":2}', ['a', 'a']],
    [' { } ', []],
  ])('of %s', (text, names) => {
    expect([...members(text)].map(({ name }) => name)).toEqual(names);
  });
});

it('a string ends at the first quote that no backslash takes away', () => {
  for (const inner of ['', 'a', '\\"', '\\\\', '\\\\\\"', 'é\\\\\\\\']) {
    expect(endOfString(`x"${inner}"y"`, 1), inner).toBe(inner.length + 2);
  }
  expect(endOfString('"no end\\"', 0)).toBe(9);
});

it('members leave an object, and join those of another', () => {
  fc.assert(
    fc.property(anyObject, anyObject, (first, second) => {
      const rest = withoutMembers(JSON.stringify(second), first);
      const expected = { ...second, ...first };
      expect(JSON.parse(joinedObjects(JSON.stringify(first), rest))).toEqual(expected);
    }),
  );
});
