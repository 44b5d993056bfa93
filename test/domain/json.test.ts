// Contract, "Request body rules": which texts are one JSON object, and that
// what is accepted is what was sent.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, kindOf, parseJsonObject } from '../../src/core/domain/json.js';

const DEPTH = 512;

const anyName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'id', 'owner_sub', ''),
);

function accepted(text: string): unknown {
  const outcome = parseJsonObject(text);
  if (!outcome.ok) throw new Error(`refused: ${outcome.failure.message}`);
  return outcome.value;
}

function expectRefused(text: string, message: RegExp) {
  const outcome = parseJsonObject(text);
  expect(outcome).toMatchObject({ ok: false, failure: { code: 'INVALID_JSON' } });
  expect(!outcome.ok && outcome.failure.message).toMatch(message);
}

/** An object around arrays (or objects) so that it nests `levels` deep. */
function nested(levels: number, open = '[', close = ']'): string {
  return `{"a":${open.repeat(levels - 1)}${close.repeat(levels - 1)}}`;
}

function nestedObjects(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
}

describe('parseJsonObject accepts', () => {
  it.each([
    ['an empty object', '{}'],
    ['space around it', ' \t\r\n{ } \n'],
    ['every kind of value', '{"a":null,"b":true,"c":-1.5e3,"d":"x","e":[1,[]],"f":{"g":{}}}'],
    ['escapes', '{"\\u0061\\n\\"":"\\ud83d\\ude00\\\\"}'],
    ['the largest number', '{"a":1.7976931348623157e308,"b":-1.7976931348623157e308}'],
    ['numbers too small to be told from 0', '{"a":1e-400,"b":-0}'],
    ['integers above 2^53', '{"a":9007199254740993}'],
    ['an empty property name', '{"":1}'],
    ['many objects that each end in a number', `{"a":[${'{"b":1},'.repeat(600)}{}]}`],
    ['308 digits', `{"a":${'9'.repeat(308)}}`],
    ['many digits behind the point', `{"a":0.${'9'.repeat(400)},"b":1e-999}`],
    ['a text that looks like too large a number', `{"1e309":"1e309","b":"${'9'.repeat(400)}"}`],
  ])('%s', (_name, text) => {
    expect(accepted(text)).toEqual(JSON.parse(text));
  });

  it('any object that JSON.stringify makes, unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(anyName, fc.jsonValue({ stringUnit: 'binary' })), (object) => {
        const text = JSON.stringify(object);
        const value = accepted(text);
        expect(value).toEqual(JSON.parse(text));
        expect(JSON.stringify(value)).toBe(text);
      }),
    );
  });

  it('any valid object with any brackets and quotes in its strings', () => {
    const hostile = fc.string({ unit: fc.constantFrom('[', '{', ']', '}', '"', '\\', 'a') });
    const long = hostile.map((text) => text.repeat(100));
    fc.assert(
      fc.property(fc.dictionary(hostile, fc.oneof(long, fc.array(long))), (object) => {
        const text = JSON.stringify(object);
        expect(JSON.stringify(accepted(text))).toBe(text);
      }),
    );
  });

  it('the last of duplicate properties', () => {
    expect(accepted('{"a":1,"b":2,"a":3}')).toEqual({ a: 3, b: 2 });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'])(
    'a property named %s as data',
    (name) => {
      const value = accepted(`{"${name}":{"polluted":1}}`);
      expect(Object.keys(value as object)).toEqual([name]);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(JSON.stringify(value)).toBe(`{"${name}":{"polluted":1}}`);
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    },
  );
});

describe('parseJsonObject refuses', () => {
  it.each([
    ['nothing', '', /send one JSON object/],
    ['space alone', ' \n ', /send one JSON object/],
    ['a cut object', '{"a":1', /send one JSON object/],
    ['a second object', '{}{}', /send one JSON object/],
    ['a second value after space', '{} 1', /send one JSON object/],
    ['a trailing comma', '{"a":1,}', /send one JSON object/],
    ['single quotes', "{'a':1}", /send one JSON object/],
    ['a bare property name', '{a:1}', /send one JSON object/],
    ['a comment', '{/* */}', /send one JSON object/],
    ['NaN', '{"a":NaN}', /send one JSON object/],
    ['Infinity', '{"a":Infinity}', /send one JSON object/],
    ['a leading zero', '{"a":01}', /send one JSON object/],
    ['a plus sign', '{"a":+1}', /send one JSON object/],
    ['hexadecimal', '{"a":0x10}', /send one JSON object/],
    ['a raw line break in a string', '{"a":"\n"}', /send one JSON object/],
    ['a byte order mark', '\ufeff{}', /send one JSON object/],
    ['a no-break space', '\u00a0{}', /send one JSON object/],
    ['form data', 'name=Neema&phone=1', /send one JSON object/],
    ['null', 'null', /is null/],
    ['an array', '[{}]', /is an array/],
    ['a string', '"{}"', /is a string/],
    ['a number', '1', /is a number/],
    ['a boolean', 'true', /is a boolean/],
  ])('%s', (_name, text, message) => {
    expectRefused(text, message);
  });

  it.each([
    '{"a":1e309}',
    '{"a":-1e309}',
    '{"a":[0,[1e999]]}',
    '{"a":{"__proto__":{"b":1e400}}}',
    `{"a":1${'0'.repeat(400)}}`,
    `{"a":-${'9'.repeat(309)}.5}`,
    `{"a":${'9'.repeat(309)}}`,
    '{"a":0.1e310}',
    '{"a":1E+309}',
    '{"a":1e999,"a":1}',
    '{"e":"1e5","a":[1e5,1e309]}',
  ])('a number that is not finite: %s', (text) => {
    expectRefused(text, /double precision/);
  });

  it('exactly the numbers that the parser reads as infinite', () => {
    const digits = fc.string({
      unit: fc.constantFrom(...'0123456789'),
      minLength: 1,
      maxLength: 330,
    });
    const exponents = fc.integer({ min: -400, max: 400 }).map((exponent) => `e${exponent}`);
    const numbers = fc
      .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(exponents))
      .map(([sign, whole, part, exponent]) => {
        const start = sign + (whole.replace(/^0+/, '') || '0');
        return start + (part === null ? '' : `.${part}`) + (exponent ?? '');
      });
    fc.assert(
      fc.property(numbers, (number) => {
        const fits = Number.isFinite(JSON.parse(number));
        expect(parseJsonObject(`{"a":[${number}]}`).ok).toBe(fits);
      }),
      { numRuns: 1_000 },
    );
  });

  it('carries the parser error in its message', () => {
    let reason = '';
    try {
      JSON.parse('{"a":tru}');
    } catch (error) {
      reason = (error as Error).message;
    }
    const outcome = parseJsonObject('{"a":tru}');
    expect(!outcome.ok && outcome.failure.message).toContain(reason);
  });
});

describe('the depth of nesting', () => {
  it.each([
    ['arrays', nested],
    ['objects', nestedObjects],
  ])('%s: 512 levels pass, 513 do not', (_name, text) => {
    expect(JSON.stringify(accepted(text(DEPTH)))).toBe(text(DEPTH));
    expectRefused(text(DEPTH + 1), /deeper than 512/);
  });

  it('is not the number of brackets', () => {
    const wide = `{"a":[${'[],{},'.repeat(5000)}[]]}`;
    expect(JSON.stringify(accepted(wide))).toBe(wide);
  });

  it.each([
    ['brackets', '['.repeat(2000)],
    ['braces', '{'.repeat(2000)],
    ['closing brackets, which do not make room', ']'.repeat(2000)],
    ['an escaped quote before brackets', `\\"${'['.repeat(2000)}`],
    ['an escaped backslash at the end', `${'['.repeat(2000)}\\\\`],
    ['escapes in a row', `${'\\\\\\"'.repeat(500)}${'['.repeat(2000)}`],
    ['an escaped code of a quote', `\\u0022${'['.repeat(2000)}`],
  ])('strings do not count: %s', (_name, inside) => {
    const text = `{"${inside}":"${inside}"}`;
    expect(JSON.stringify(accepted(text))).toBe(JSON.stringify(JSON.parse(text)));
    const deep = `{"${inside}":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`;
    expectRefused(deep, /deeper than 512/);
  });

  it.each([
    ['half a million brackets', '['.repeat(524_288)],
    ['half a million braces', '{"a":'.repeat(200_000)],
    ['closing brackets first', `${']'.repeat(1000)}${'['.repeat(500_000)}`],
  ])('a text that never closes is refused without harm: %s', (_name, text) => {
    expect(parseJsonObject(text).ok).toBe(false);
  });
});

describe('kindOf and isJsonObject', () => {
  it.each([
    [null, 'null', false],
    [[], 'an array', false],
    [{}, 'an object', true],
    ['', 'a string', false],
    [0, 'a number', false],
    [false, 'a boolean', false],
    [undefined, 'missing', false],
  ])('%j is %s', (value, kind, isObject) => {
    expect(kindOf(value)).toBe(kind);
    expect(isJsonObject(value)).toBe(isObject);
  });
});
