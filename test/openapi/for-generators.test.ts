// What client generators need from the OpenAPI document. Each rule exists because a client did not
// compile, or lost data, without it: `npm run compat -- generators` runs the Kotlin one.

import { expect, it } from 'vitest';
import { COLLECTIONS } from '../support/collection-table.js';
import {
  DOCUMENT,
  OPERATIONS,
  type ResponseObject,
  resolved,
} from '../support/openapi-document.js';

type Schema = Readonly<Record<string, unknown>>;

const SCHEMAS = DOCUMENT.components['schemas'] as Readonly<Record<string, Schema>>;
const RESPONSES = DOCUMENT.components['responses'] as Readonly<Record<string, ResponseObject>>;

/** Every object of the document that has a `type`, with its location. */
const TYPED = [...typed(DOCUMENT, '')];

function* typed(value: unknown, place: string): Generator<[string, Schema]> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && !place.includes('securitySchemes')) yield [place, value as Schema];
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') yield* typed(inner, `${place}/${key}`);
  }
}

it('A number has the format double or int64, because Go stored 33333332 for 33333333', () => {
  const formats: Readonly<Record<string, string>> = { number: 'double', integer: 'int64' };
  const numbers = TYPED.filter(([, { type }]) => String(type) in formats);
  expect(numbers.length).toBeGreaterThan(20);
  for (const [place, { type, format }] of numbers) expect(format, place).toBe(formats[`${type}`]);
});

it('A fixed value is described in words, because generators of three languages fail on `const`', () => {
  expect(JSON.stringify(DOCUMENT)).not.toContain('"const":');
});

it('A set that may grow is not an enumeration, because an old client fails on a new value', () => {
  const listed = TYPED.filter(([, schema]) => 'enum' in schema).map(([place]) => place);
  expect(listed).toEqual([
    '/components/schemas/AdminHealth/properties/status',
    '/components/schemas/AdminHealth/properties/database',
    '/components/schemas/Payment/properties/status',
  ]);
});

it.each(Object.entries(SCHEMAS))(
  'The properties of %s have names that stay different in every language',
  (_, { properties = {} }) => {
    const names = Object.keys(properties as object);
    const spelled = names.map((name) => name.replaceAll('_', '').toLowerCase());
    expect(new Set(spelled).size).toBe(spelled.length);
  },
);

it('A pattern and a description replace `ownerSub`, because it is spelled as `owner_sub`', () => {
  const { patternProperties, description } = SCHEMAS['Business'] ?? {};
  expect(patternProperties).toEqual({ '^ownerSub$': { type: 'string' } });
  expect(description).toContain('`ownerSub`');
});

it('An object has a name that no generator uses itself; `customFields` is a map, and may be null in a request', () => {
  const unnamed = TYPED.filter(
    ([place, { type }]) =>
      [type].flat().includes('object') && !/^\/components\/schemas\/\w+$/.test(place),
  );
  expect(unnamed).toHaveLength(3);
  for (const [place, { type }] of unnamed) {
    expect(place).toMatch(/\/customFields$/);
    // Otherwise a change that omits it would send it empty.
    expect(type).toEqual(['object', 'null']);
  }
  const names = Object.keys(SCHEMAS);
  expect(names.filter((name) => /Response$/.test(name))).toEqual([]);
  expect(names).toEqual(
    expect.arrayContaining(['CustomerResult', 'CustomerList', 'ErrorEnvelope', 'ErrorDetail']),
  );
});

it.each(OPERATIONS.filter(({ object }) => object.requestBody))(
  'The body of $name has no default, so that the smallest body compiles',
  ({ object }) => {
    const { schema } = object.requestBody?.content['application/json'] ?? { schema: {} };
    const { properties = {} } = resolved(schema) as { properties?: Record<string, object> };
    expect(Object.values(properties).filter((property) => 'default' in property)).toEqual([]);
  },
);

it('A header is described only if clients act on it: Retry-After', () => {
  const ofOperations = OPERATIONS.flatMap(({ object }) => Object.entries(object.responses));
  const withHeaders = [...Object.entries(RESPONSES), ...ofOperations].filter(
    ([, response]) => 'headers' in response,
  );
  expect(withHeaders.map(([name]) => name)).toEqual(['AuthUnavailable']);
  expect(RESPONSES['AuthUnavailable']?.headers).toHaveProperty('Retry-After');
});

it('The document has a short description, a plain server URL with the prefix, and nouns as tags', () => {
  // Generators copy it into every file.
  expect(String(DOCUMENT.info['description']).length).toBeLessThan(300);
  expect(DOCUMENT.servers).toEqual([
    { url: 'http://127.0.0.1:8080/api/v1', description: expect.any(String) },
  ]);
  const tags = new Set(OPERATIONS.flatMap(({ object }) => object.tags));
  expect([...tags].sort()).toEqual(
    [...COLLECTIONS, 'payments', 'health', 'Admin views', 'Admin records'].sort(),
  );
});
