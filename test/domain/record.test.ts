// Contract, "Common record rules" and "Fields and validation by collection": how a create and a
// PATCH process a body.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES, type CollectionName } from '../../src/core/domain/collection-name.js';
import type { JsonObject, JsonValue } from '../../src/core/domain/json.js';
import {
  type ChangedRecord,
  newRecord,
  patchedRecord,
  withServerFields,
} from '../../src/core/domain/record.js';
import { VALID_BODY } from '../support/collection-table.js';

/** As `JSON.parse` returns it: `__proto__` is an own property. */
const HOSTILE: JsonObject = JSON.parse(
  '{"__proto__":{"name":"x","phone":"y"},"constructor":1,"toString":null}',
);

/** As parsed; serialized JSON has no negative zero. */
const body: fc.Arbitrary<JsonObject> = fc
  .dictionary(
    fc.oneof(fc.string(), fc.constantFrom('id', 'owner_sub', 'ownerSub', '__proto__', 'status')),
    fc.jsonValue(),
  )
  .map((value) => JSON.parse(JSON.stringify(value)));

/** The values of own properties, undefined if there is none. */
const own = (record: JsonObject, ...names: string[]) =>
  names.map((name) => (Object.hasOwn(record, name) ? record[name] : undefined));

/** Bodies with only the required properties. */
const GOOD = VALID_BODY as Readonly<Record<CollectionName, JsonObject>>;

/** The record that a create with this body stores; missing required properties are filled in. */
function created(name: CollectionName, sent: JsonObject, id: string, owner: string): JsonObject {
  return JSON.parse(withServerFields(name, id, owner, made(name, sent).text));
}

function made(name: CollectionName, sent: JsonObject): ChangedRecord {
  const outcome = newRecord(name, JSON.stringify({ ...sent, ...GOOD[name] }));
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

describe('newRecord', () => {
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

  it('starts with id and owner, and returns its status', () => {
    const rest = made('businesses', { a: 1, ownerSub: 'x', id: 'x', b: 2 }).text;
    expect(withServerFields('businesses', 'BIZ-0001', 'me', rest)).toBe(
      '{"id":"BIZ-0001","owner_sub":"me","ownerSub":"me","a":1,"b":2}',
    );
    const sent: JsonObject[] = [{}, { status: 'Ready' }, { status: null }];
    const statuses = sent.map((body) => made('orders', body).status);
    expect([...statuses, made('team', {}).status]).toEqual(['New', 'Ready', null, undefined]);
  });
});

it('The audit log of a create names the properties that the caller could set', () => {
  const sent = { id: 'x', owner_sub: 'x', ownerSub: 'x', name: 'Neema', __x: 1 };
  expect(made('customers', sent).changed).toEqual(['ownerSub', 'name', '__x', 'phone']);
  expect(made('businesses', sent).changed).toEqual(['name', '__x']);
  expect(made('businesses', HOSTILE).changed).toEqual(Object.keys(HOSTILE));
  // Defaults are set by the service.
  expect(made('orders', {}).changed).toEqual(Object.keys(GOOD.orders));
});

function patch(stored: string, sent: JsonObject) {
  const outcome = patchedRecord('businesses', stored, JSON.stringify(sent));
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

function patched(stored: JsonObject | string, sent: JsonObject): JsonObject {
  return JSON.parse(patch(typeof stored === 'string' ? stored : JSON.stringify(stored), sent).text);
}

describe('patchedRecord', () => {
  it('keeps the order of the stored properties, appends new ones, and keeps no old value', () => {
    const odd = ' {"id" : "X",\t"\\u0061": [1.0] , "b":{"c":1,"d":2} } ';
    expect(patch(odd, { a: [1], b: { d: 2, c: 1 } })).toMatchObject({ text: odd, changed: [] });
    expect(patched('{"id":"X","a":1,"b":2,"a":3}', { a: 4 })).toEqual({ id: 'X', a: 4, b: 2 });
    expect(patch('{"id":"X","b":1,"a":2}', { c: 3, a: 0, b: [] }).text).toBe(
      '{"id":"X","b":[],"a":0,"c":3}',
    );
  });

  it('takes the sent value of a property, otherwise the stored one, and changes neither input', () => {
    fc.assert(
      fc.property(body, body, (first, second) => {
        const texts = [JSON.stringify(first), JSON.stringify(second)];
        const merged = patched(first, second);
        for (const key of Object.keys({ ...first, ...second })) {
          const fixed = /^(id|owner_sub|ownerSub)$/.test(key);
          const source = !fixed && Object.hasOwn(second, key) ? second : first;
          expect(own(merged, key)).toEqual(own(source, key));
        }
        expect([JSON.stringify(first), JSON.stringify(second)]).toEqual(texts);
      }),
    );
  });

  it('names the properties whose value differs, for the audit log', () => {
    const before = { id: 'x', a: 1, b: { c: [1, null] }, d: 'same', e: null };
    const names = (sent: JsonObject) => patch(JSON.stringify(before), sent).changed;
    expect(names({ ...before, id: 'y', a: 2, f: null })).toEqual(['a', 'f']);
    expect(names(before)).toEqual([]);
    expect(names({ b: { c: [1, 0] } })).toEqual(['b']);
    expect(names(HOSTILE)).toEqual(Object.keys(HOSTILE));
    // The same value, with its members in another order.
    const objects = JSON.stringify({ a: { x: 1, y: [{ p: 1, q: 2 }] } });
    expect(patch(objects, { a: { y: [{ q: 2, p: 1 }], x: 1 } }).changed).toEqual([]);
    expect(patch(objects, { a: { y: [{ q: 2, p: 2 }], x: 1 } }).changed).toEqual(['a']);
  });

  it.each<[JsonValue, JsonValue, boolean]>([
    [[1, 2], [1, 2], true],
    [[1, 2], [1], false],
    [[1], [1, 2], false],
    [[], {}, false],
    [{}, [], false],
    [[1], { 0: 1, length: 1 }, false],
    [{ x: null }, {}, false],
    [{}, { x: null }, false],
    [{ x: null }, { y: null }, false],
    [null, {}, false],
    [0, false, false],
    ['1', 1, false],
  ])('compares %j with %j: the values are equal: %j', (before, after, isSame) => {
    const { changed } = patch(JSON.stringify({ a: before }), { a: after });
    expect(changed).toEqual(isSame ? [] : ['a']);
  });
});
