// Contract, "Common record rules" and "Fields and validation by collection".

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES, type CollectionName } from '../../src/core/domain/collection-name.js';
import type { JsonObject } from '../../src/core/domain/json.js';
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
