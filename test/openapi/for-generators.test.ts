// What generators of clients need of the OpenAPI document. Each rule stands for a
// client that did not compile, or lost data, before it was kept: `npm run trust --
// generators` runs them all.

import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../support/collection-table.js';
import {
  DOCUMENT,
  OPERATIONS,
  type ResponseObject,
  resolved,
} from '../support/openapi-document.js';

type Schema = Readonly<Record<string, unknown>>;

const SCHEMAS = DOCUMENT.components['schemas'] as Readonly<Record<string, Schema>>;

/** Every object of the document that says `type`, with the place where it stands. */
const TYPED = [...typed(DOCUMENT, '')];

function* typed(value: unknown, place: string): Generator<[string, Schema]> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && !place.includes('securitySchemes')) yield [place, value as Schema];
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') yield* typed(inner, `${place}/${key}`);
  }
}

function propertiesOf(schema: Schema | undefined): string[] {
  return Object.keys((schema?.['properties'] ?? {}) as object);
}

describe('A number', () => {
  it('has the format double or int64, because Go stored 33333332 for 33333333', () => {
    const formats = { number: 'double', integer: 'int64' };
    for (const [place, { type, format }] of TYPED) {
      if (type !== 'number' && type !== 'integer') continue;
      expect(format, place).toBe(formats[type]);
    }
  });
});

describe('A fixed value', () => {
  it('is described in words, because generators of three languages fail on `const`', () => {
    expect(JSON.stringify(DOCUMENT)).not.toContain('"const":');
  });

  it('is not an enumeration when the set may grow, because an old client fails on a new value', () => {
    const listed = TYPED.filter(([, schema]) => 'enum' in schema).map(([place]) => place);
    expect(listed).toEqual([
      '/components/schemas/AdminHealth/properties/status',
      '/components/schemas/AdminHealth/properties/database',
      '/components/schemas/Payment/properties/status',
    ]);
  });

  it('of `error.code` has every code in its description', () => {
    const { code } = (SCHEMAS['ErrorDetail']?.['properties'] ?? {}) as Record<string, Schema>;
    const responses = Object.values(DOCUMENT.components['responses'] ?? {}) as ResponseObject[];
    const codes = responses.flatMap(({ content = {} }) =>
      Object.keys(content['application/json']?.examples ?? {}),
    );
    expect(codes.length).toBeGreaterThan(11);
    for (const one of codes) expect(code?.['description']).toContain(`- \`${one}\` (`);
    expect(code?.['enum']).toBeUndefined();
  });
});

describe('The names of properties', () => {
  it.each(Object.entries(SCHEMAS))('of %s stay different in every language', (_, schema) => {
    const spelled = propertiesOf(schema).map((name) => name.replaceAll('_', '').toLowerCase());
    expect(new Set(spelled).size).toBe(spelled.length);
  });

  it('do not contain `ownerSub`; a pattern and a description do', () => {
    expect(SCHEMAS['Business']?.['patternProperties']).toEqual({
      '^ownerSub$': { type: 'string' },
    });
    expect(SCHEMAS['Business']?.['description']).toContain('`ownerSub`');
  });
});

describe('An object', () => {
  it('has a name, but for `customFields`, which is a map', () => {
    const unnamed = TYPED.filter(
      ([place, { type }]) =>
        [type].flat().includes('object') && !/^\/components\/schemas\/\w+$/.test(place),
    );
    expect(unnamed.map(([place]) => place.split('/').at(-1))).toEqual(
      unnamed.map(() => 'customFields'),
    );
    expect(unnamed.length).toBe(3);
  });

  it('in a request may be null, because otherwise a change without it sends it empty', () => {
    const fields = TYPED.filter(([place]) => place.endsWith('/customFields'));
    expect(fields.map(([, { type }]) => type)).toEqual(fields.map(() => ['object', 'null']));
  });

  it('of an answer has a name that no generator uses itself', () => {
    const names = Object.keys(SCHEMAS);
    expect(names.filter((name) => /Response$/.test(name))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining(['CustomerResult', 'CustomerList', 'ErrorEnvelope', 'ErrorDetail']),
    );
  });
});

describe('A body', () => {
  it.each(OPERATIONS.filter(({ object }) => object.requestBody))(
    'of $name has no default, so that the smallest body compiles',
    ({ object }) => {
      const { schema } = object.requestBody?.content['application/json'] ?? { schema: {} };
      const { properties = {} } = resolved(schema) as { properties?: Record<string, object> };
      for (const property of Object.values(properties))
        expect(property).not.toHaveProperty('default');
    },
  );
});

describe('A header', () => {
  it('is described only if a client decides on it: Retry-After', () => {
    const responses = DOCUMENT.components['responses'] as Record<string, ResponseObject>;
    const withHeaders = [
      ...Object.entries(responses),
      ...OPERATIONS.flatMap(({ name, object }) =>
        Object.values(object.responses).map((response) => [name, response] as const),
      ),
    ].filter(([, response]) => 'headers' in response);
    expect(withHeaders.map(([name]) => name)).toEqual(['AuthUnavailable']);
    expect(responses['AuthUnavailable']?.headers).toHaveProperty('Retry-After');
  });
});

describe('The whole', () => {
  it('has a short description, which generators copy into every file', () => {
    expect(String(DOCUMENT.info['description']).length).toBeLessThan(300);
  });

  it('has a plain server URL with the prefix', () => {
    expect(DOCUMENT.servers).toEqual([
      { url: 'http://127.0.0.1:8080/api/v1', description: expect.any(String) },
    ]);
  });

  it('has nouns for tags', () => {
    const tags = new Set(OPERATIONS.flatMap(({ object }) => object.tags));
    expect([...tags].sort()).toEqual(
      [...COLLECTIONS, 'payments', 'health', 'Admin views', 'Admin records'].sort(),
    );
  });
});
