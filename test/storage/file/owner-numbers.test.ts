// Owners of a start's rows are told apart by their bytes, and named as they were given.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_OWNER, OwnerNumbers } from '../../../src/storage/file/owner-numbers.js';

const numberOf = (owners: OwnerNumbers, name: string) => {
  const bytes = Buffer.from(`before${name}behind`);
  return owners.of(bytes, 'before'.length, bytes.length - 'behind'.length);
};

it('an owner keeps its number, whether it comes as bytes or as a text, and numbers have no gap', () => {
  const name = fc.string({ unit: 'binary', minLength: 1 });
  fc.assert(
    fc.property(fc.array(name), (names) => {
      const owners = new OwnerNumbers();
      const first = names.map((each) => owners.ofText(each));
      const known = [...new Set(names)];
      expect([...new Set(first)]).toEqual(known.map((_, i) => i + 1));
      expect(first.map((number) => owners.nameOf(number))).toEqual(names);
      const whole = names.filter((each) => Buffer.from(each).toString() === each);
      expect(whole.map((each) => owners.nameOf(numberOf(owners, each)))).toEqual(whole);
    }),
  );
});

it('more owners than the first table has room for are all told apart', () => {
  const owners = new OwnerNumbers();
  const names = Array.from(
    { length: 30_000 },
    (_, i) => `auth0|${i.toString(36).padStart(24, '-')}`,
  );
  const numbers = names.map((name) => numberOf(owners, name));
  expect(new Set(numbers).size).toBe(names.length);
  expect(names.map((name) => numberOf(owners, name))).toEqual(numbers);
  expect(numbers.map((number) => owners.nameOf(number))).toEqual(names);
});

it('rows without an owner have a number of their own, which has no name', () => {
  const owners = new OwnerNumbers();
  expect(owners.ofText(undefined)).toBe(NO_OWNER);
  expect(owners.nameOf(NO_OWNER)).toBeUndefined();
  expect(numberOf(owners, 'amina')).toBe(1);
});

it('lone surrogates, which UTF-8 cannot hold, are no other owner', () => {
  const owners = new OwnerNumbers();
  const numbers = ['\ud800', '\ud801', '\ufffd'].map((name) => owners.ofText(name));
  expect(new Set(numbers).size).toBe(3);
});
