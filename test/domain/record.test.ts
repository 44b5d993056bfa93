// Contract, "Common record rules" and "Fields and validation by collection".

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES, type CollectionName } from '../../src/core/domain/collection-name.js';
import type { JsonObject, JsonValue } from '../../src/core/domain/json.js';
import {
  type ChangedRecord,
  identified,
  newRecord,
  validated,
} from '../../src/core/domain/record.js';
import { ROW_OF, VALID_BODY } from '../support/collection-table.js';
import { body, HOSTILE, own } from './record-bodies.js';

/** Bodies with the required properties alone. */
const GOOD = VALID_BODY as Readonly<Record<CollectionName, JsonObject>>;

/** Every required property of every collection. */
const REQUIRED = COLLECTION_NAMES.flatMap((name) =>
  Object.entries(GOOD[name]).map(([property, good]) => ({ name, property, good })),
);

/** The whole record of a create with this body; the required properties are the collection's own where it lacks them. */
function created(name: CollectionName, sent: JsonObject, id: string, owner: string): JsonObject {
  return JSON.parse(identified(name, id, owner, made(name, sent).text));
}

function made(name: CollectionName, sent: JsonObject): ChangedRecord {
  const outcome = newRecord(name, JSON.stringify({ ...sent, ...GOOD[name] }));
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

describe('newRecord', () => {
  it.each(['[]', '{', '1', ''])('refuses the body %j, which is not one JSON object', (text) => {
    const outcome = newRecord('businesses', text);
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'INVALID_JSON' } });
  });

  it.each(COLLECTION_NAMES)(
    'of %s has id and owner, then the body, then a default for each missing property',
    (name) => {
      const record = created(name, GOOD[name], 'X-1', 'auth0|1');
      const mirrored = name === 'businesses' ? { ownerSub: 'auth0|1' } : {};
      expect(record).toEqual({
        id: 'X-1',
        owner_sub: 'auth0|1',
        ...mirrored,
        ...ROW_OF[name].defaults,
        ...GOOD[name],
      });
    },
  );

  it.each(COLLECTION_NAMES)(
    'of %s keeps each value that the caller sent, also null, in place of the default',
    (name) => {
      for (const value of [null, '', 0, false, [], {}]) {
        const sent = Object.fromEntries(
          Object.keys(ROW_OF[name].defaults).map((key) => [key, value]),
        );
        expect(created(name, sent, 'X-1', 'me')).toMatchObject(sent);
      }
    },
  );

  it('takes no id or owner from the caller, nor a mirrored one in a business', () => {
    const sent = { id: 'BIZ-9999', owner_sub: 'victim', ownerSub: 'victim' };
    expect(created('businesses', sent, 'BIZ-0001', 'me')).toEqual({
      id: 'BIZ-0001',
      owner_sub: 'me',
      ownerSub: 'me',
    });
    expect(created('customers', sent, 'CUS-0001', 'me')).toEqual({
      id: 'CUS-0001',
      owner_sub: 'me',
      ownerSub: 'victim',
      ...GOOD.customers,
    });
  });

  it('keeps every other property of any body, and does not change the body', () => {
    fc.assert(
      fc.property(fc.constantFrom(...COLLECTION_NAMES), body, (name, sent) => {
        const before = JSON.stringify(sent);
        const record = created(name, sent, 'X-1', 'me');
        expect(own(record, 'id', 'owner_sub')).toEqual(['X-1', 'me']);
        const fixed = new Set(['id', 'owner_sub', 'ownerSub', ...Object.keys(GOOD[name])]);
        const kept = Object.keys(sent).filter((key) => !fixed.has(key));
        expect(own(record, ...kept)).toEqual(own(sent, ...kept));
        expect(JSON.stringify(sent)).toBe(before);
      }),
    );
  });

  it('begins with id and owner, and returns its status', () => {
    const rest = made('businesses', { a: 1, ownerSub: 'x', id: 'x', b: 2 }).text;
    expect(identified('businesses', 'BIZ-0001', 'me', rest)).toBe(
      '{"id":"BIZ-0001","owner_sub":"me","ownerSub":"me","a":1,"b":2}',
    );
    const statusOf = (name: CollectionName, sent: JsonObject) => made(name, sent).status;
    expect(statusOf('orders', {})).toBe('New');
    expect(statusOf('orders', { status: 'Ready' })).toBe('Ready');
    expect(statusOf('orders', { status: null })).toBe(null);
    expect(statusOf('customers', {})).toBe(undefined);
  });
});

describe('validated', () => {
  it.each(COLLECTION_NAMES)(
    '%s: accepts the required properties and returns the record',
    (name) => {
      const record = { ...GOOD[name], ...HOSTILE, extra: [1, { deep: true }] };
      const outcome = validated(name, record);
      expect(outcome.ok && outcome.value).toBe(record);
    },
  );

  it.each(REQUIRED)('$name: $property is required and named', ({ name, property }) => {
    const { [property]: _, ...record } = GOOD[name];
    const outcome = validated(name, record);
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'VALIDATION_FAILED' } });
    expect(!outcome.ok && outcome.failure.message).toMatch(
      new RegExp(`^${property} is missing; it must be`),
    );
  });

  it.each(REQUIRED)('$name: $property of another kind is refused', ({ name, property, good }) => {
    const bad: JsonValue[] = [null, true, [], {}, [good], ''];
    bad.push(...(typeof good === 'string' ? [0, 1] : ['5', 0, -0, -1, -0.5]));
    for (const value of bad) {
      const outcome = validated(name, { ...GOOD[name], [property]: value });
      expect(outcome.ok, JSON.stringify(value)).toBe(false);
      expect(!outcome.ok && outcome.failure.message).toContain(`${property} is `);
    }
  });

  it.each(REQUIRED)('$name: the smallest $property passes', ({ name, property, good }) => {
    const least = typeof good === 'string' ? [' ', '0', '\n', '😀'] : [5e-324, 0.01, 1e308];
    for (const value of least) {
      expect(validated(name, { ...GOOD[name], [property]: value }).ok, String(value)).toBe(true);
    }
  });

  it.each(COLLECTION_NAMES)('%s: the message names every property that fails, once', (name) => {
    const outcome = validated(name, {});
    const required = Object.keys(GOOD[name]);
    if (required.length === 0) expect(outcome.ok).toBe(true);
    const message = outcome.ok ? '' : outcome.failure.message;
    const named = message === '' ? [] : message.split('; ').filter((part) => part.includes(' is '));
    expect(named.map((part) => part.split(' ')[0])).toEqual(required);
  });

  it('gives the sent value and the required kind', () => {
    const outcome = validated('orders', { customer: '', service: 7, amount: '5' });
    expect(!outcome.ok && outcome.failure.message).toBe(
      'customer is an empty string; it must be a non-empty string; ' +
        'service is 7; it must be a non-empty string; ' +
        'amount is a string; it must be a number above 0',
    );
  });

  it('looks at own properties: a property inside __proto__ does not count', () => {
    expect(validated('customers', HOSTILE).ok).toBe(false);
  });

  it('validates only the required properties', () => {
    const odd = { status: 7, paid: 'all', currency: null, method: [], date: false, due: -1 };
    expect(validated('orders', { ...GOOD.orders, ...odd }).ok).toBe(true);
  });
});

describe('the property names of the audit log', () => {
  it('of a create are those that the caller could set', () => {
    const sent = { id: 'x', owner_sub: 'x', ownerSub: 'x', name: 'Neema', __x: 1 };
    expect(made('customers', sent).changed).toEqual(['ownerSub', 'name', '__x', 'phone']);
    expect(made('businesses', sent).changed).toEqual(['name', '__x']);
    expect(made('businesses', HOSTILE).changed).toEqual(Object.keys(HOSTILE));
    // Defaults are the service's.
    expect(made('orders', {}).changed).toEqual(Object.keys(GOOD.orders));
  });
});
