// Contract, "Request body rules": which texts are one JSON object, and that what is accepted stays
// unchanged.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonObject, parseRecord } from '../../src/core/domain/json.js';

const anyName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'id', 'owner_sub', ''),
);

function accepted(text: string): unknown {
  const outcome = parseJsonObject(text);
  if (!outcome.ok) throw new Error(`refused: ${outcome.failure.message}`);
  return outcome.value;
}

// The contract's tables of accepted and refused bodies are in test/contract/request-body.test.ts.
it('Any object that JSON.stringify makes is accepted unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(anyName, fc.jsonValue({ stringUnit: 'binary' })), (object) => {
      const text = JSON.stringify(object);
      const value = accepted(text);
      expect(value).toEqual(JSON.parse(text));
      expect(JSON.stringify(value)).toBe(text);
    }),
  );
});

// V8 of Node 24 and of Workers (nodejs/node#63785): a parsed name with a backslash replaced others.
describe('A name with an escape is read as it is written', () => {
  const NAMES = ['\\\\', '\\n', '\\u0041', '\\"', 'a\\\\', 'a\\t', '\\\\n', '\\n\\n', '\\u005c'];
  const pairs = NAMES.flatMap((one) => NAMES.map((other): [string, string] => [one, other]));

  it.each(pairs)('%s before %s, in two texts and in one', (one, other) => {
    const written = [one, other].map((name): [string, string] => [name, JSON.parse(`"${name}"`)]);
    // No other test parses an object that starts like this.
    const start = `${pairs.findIndex((pair) => pair[0] === one && pair[1] === other)} `;
    const values = written.map(([, name]) => ({ [start]: 1, [name]: `"${name}": 1` }));
    const texts = written.map(
      ([name, is]) => `{"${start}":1,"${name}" : ${JSON.stringify(`"${is}": 1`)}}`,
    );
    expect(texts.map(accepted)).toEqual(values);
    expect(texts.map(parseRecord)).toEqual(values);
    expect(accepted(`{"a":[${texts}]}`)).toEqual({ a: values });
  });

  it('with the last of two values in the position of the first', () => {
    const text = JSON.stringify(accepted('{"\\\\":1,"b":2,"\\u005c":3,"__proto__":4}'));
    expect(text).toBe('{"\\\\":3,"b":2,"__proto__":4}');
  });
});

it.each([
  ['{"a":tru}', /^the body is not JSON \(.+\); send one JSON object/],
  ['null', /is null/],
  ['[{}]', /is an array/],
  ['\ufeff{}', /^the body starts with a byte order mark; remove it$/],
  ['{"a":1e309}', /double precision/],
  [`{"a":${'['.repeat(512)}${']'.repeat(512)}}`, /deeper than 512/],
])('The error for a body says what is wrong: %#', (text, message) => {
  const outcome = parseJsonObject(text);
  expect(outcome.ok ? '' : outcome.failure.message).toMatch(message);
});
