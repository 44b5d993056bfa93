// Contract, "Request body rules": which texts are one JSON object, and that
// what is accepted is what was sent.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonObject, parseRecord } from '../../src/core/domain/json.js';

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

/** An object around arrays, or objects, that nests `levels` deep. */
const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

const nestedObjects = (levels: number) =>
  `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

// The contract's tables of accepted and refused bodies are in test/contract/request-body.test.ts.
describe('parseJsonObject accepts', () => {
  it.each([
    ['numbers too small to be told from 0', '{"a":1e-400,"b":-0}'],
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
});

// V8 of Node 24 and of Workers (nodejs/node#63785): once parsed, a name with a backslash came back for others.
describe('A name with an escape is read as it is written', () => {
  const NAMES = ['\\\\', '\\n', '\\u0041', '\\"', 'a\\\\', 'a\\t', '\\\\n', '\\n\\n', '\\u005c'];
  const pairs = NAMES.flatMap((one) => NAMES.map((other): [string, string] => [one, other]));

  it.each(pairs)('%s before %s, in two texts and in one', (one, other) => {
    const written = [one, other].map((name): [string, string] => [name, JSON.parse(`"${name}"`)]);
    // No other test has an object that begins so.
    const start = `${pairs.findIndex((pair) => pair[0] === one && pair[1] === other)} `;
    const values = written.map(([, name]) => ({ [start]: 1, [name]: `"${name}": 1` }));
    const texts = written.map(
      ([name, is]) => `{"${start}":1,"${name}" : ${JSON.stringify(`"${is}": 1`)}}`,
    );
    expect(texts.map(accepted)).toEqual(values);
    expect(texts.map(parseRecord)).toEqual(values);
    expect(accepted(`{"a":[${texts}]}`)).toEqual({ a: values });
  });

  it('with the last of two values in the place of the first', () => {
    const text = JSON.stringify(accepted('{"\\\\":1,"b":2,"\\u005c":3,"__proto__":4}'));
    expect(text).toBe('{"\\\\":3,"b":2,"__proto__":4}');
  });
});

describe('parseJsonObject refuses', () => {
  it.each([
    ['{"a":tru}', /not JSON \(.+\); send one JSON object/],
    ['null', /is null/],
    ['[{}]', /is an array/],
    ['"{}"', /is a string/],
    ['\ufeff{}', /^the body begins with a byte order mark; send it without$/],
  ])('%j', expectRefused);

  it.each([
    '{"a":{"__proto__":{"b":1e400}}}',
    `{"a":-${'9'.repeat(309)}.5}`,
    '{"e":"1e5","a":[1e5,1e309]}',
  ])('a number that is not finite: %s', (text) => {
    expectRefused(text, /double precision/);
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

  it('in a text that never closes does no harm', () => {
    for (const text of ['['.repeat(524_288), `${']'.repeat(1000)}${'['.repeat(500_000)}`]) {
      expect(parseJsonObject(text).ok).toBe(false);
    }
  });
});
