// Contract, "Common record rules": what a PATCH does to a record.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/domain/json.js';
import { RECORD_MAX_CHARACTERS } from '../../src/core/domain/limits.js';
import { patchedRecord } from '../../src/core/domain/record.js';
import { body, HOSTILE, own } from './record-bodies.js';

function patch(stored: string, sent: JsonObject) {
  const outcome = patchedRecord('businesses', stored, JSON.stringify(sent));
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

function patched(stored: JsonObject | string, sent: JsonObject): JsonObject {
  return JSON.parse(patch(typeof stored === 'string' ? stored : JSON.stringify(stored), sent).text);
}

describe('patchedRecord', () => {
  const stored = { id: 'ORD-0001', owner_sub: 'me', ownerSub: 'own', a: { b: 1, c: 2 }, d: 1 };

  it('keeps the order of the stored properties, and appends new ones', () => {
    const text = JSON.stringify(stored);
    expect(patch(text, {}).text).toBe(text);
    expect(patch('{"id":"X","b":1,"a":2}', { c: 3, a: 0, b: [] }).text).toBe(
      '{"id":"X","b":[],"a":0,"c":3}',
    );
  });

  it('begins with id and owner, also where a name such as 0 would come first', () => {
    const begun = '{"id":"CUS-1","owner_sub":"a\\"b"';
    expect(patch(`${begun}}`, { 0: 1 }).text).toBe(`${begun},"0":1}`);
    expect(patch(`${begun},"7":0,"a":{"1":2}}`, { 10: 1 }).text).toBe(
      `${begun},"7":0,"10":1,"a":{"1":2}}`,
    );
    // As an earlier release wrote it.
    expect(patch(`{"0":1,"owner_sub":"me","id":"X"}`, { 0: 2 }).text).toBe(
      '{"id":"X","owner_sub":"me","0":2}',
    );
    expect(patch('{"0":1,"id":7,"owner_sub":"me"}', { 0: 2 }).text).toBe(
      '{"0":2,"id":7,"owner_sub":"me"}',
    );
  });

  it('keeps id, owner_sub and ownerSub, and adds none of them', () => {
    const taken = { id: 'X', owner_sub: 'x', ownerSub: 'x' };
    expect(patched(stored, taken)).toEqual(stored);
    expect(patched({ id: 'ORD-0002' }, taken)).toEqual({ id: 'ORD-0002' });
  });

  it('takes the sent value of a property, else the stored one, and changes neither input', () => {
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

  it('keeps the value of every property that was not sent', () => {
    fc.assert(
      fc.property(body, (stored) => {
        const text = JSON.stringify(stored);
        const { text: after } = patch(text, { added: 1 });
        const { added, ...rest } = JSON.parse(after);
        expect(added).toBe(1);
        const { added: _, ...before } = JSON.parse(text);
        expect(JSON.stringify(rest)).toBe(JSON.stringify(before));
      }),
    );
  });

  it('leaves the text unchanged when no value differs', () => {
    const odd = ' {"id" : "X",\t"\\u0061": [1.0] , "b":{"c":1,"d":2} } ';
    expect(patch(odd, { a: [1], b: { d: 2, c: 1 } })).toMatchObject({ text: odd, changed: [] });
  });

  it('of a name that is stored twice keeps no old value', () => {
    expect(patched('{"id":"X","a":1,"b":2,"a":3}', { a: 4 })).toEqual({ id: 'X', a: 4, b: 2 });
  });

  it('returns the status that lists filter by', () => {
    expect(patch('{"status":"New"}', { a: 1 }).status).toBe('New');
    expect(patch('{"status":"New"}', { status: 'Ready' }).status).toBe('Ready');
    expect(patch('{"status":"New"}', { status: null }).status).toBe(null);
    expect(patch('{"a":{"status":"New"}}', { a: 1 }).status).toBe(undefined);
    expect(patch('{}', { status: 'Late' }).status).toBe('Late');
  });

  it('keeps own properties with the names of Object.prototype as data', () => {
    const merged = patched({ id: 'X' }, HOSTILE);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Object.keys(merged)).toEqual(['id', '__proto__', 'constructor', 'toString']);
    expect(patch('{"__proto__":1}', { a: 1 }).text).toBe('{"__proto__":1,"a":1}');
  });

  it('refuses a body that is not one JSON object, and a record that grows too long', () => {
    expect(patchedRecord('businesses', '{}', '[]')).toMatchObject({
      ok: false,
      failure: { code: 'INVALID_JSON' },
    });
    const half = 'x'.repeat(RECORD_MAX_CHARACTERS / 2);
    const stored = JSON.stringify({ a: half });
    expect(patchedRecord('businesses', stored, JSON.stringify({ b: half }))).toMatchObject({
      ok: false,
      failure: { code: 'VALIDATION_FAILED' },
    });
    // A longer record that is there may stay as long as it is.
    const long = JSON.stringify({ a: half, b: half, c: half });
    expect(patchedRecord('businesses', long, '{"c":0}').ok).toBe(true);
  });

  it('names the properties whose value differs, for the audit log', () => {
    const before = { id: 'x', a: 1, b: { c: [1, null] }, d: 'same', e: null };
    const names = (sent: JsonObject) => patch(JSON.stringify(before), sent).changed;
    expect(names({ ...before, id: 'y', a: 2, f: null })).toEqual(['a', 'f']);
    expect(names(before)).toEqual([]);
    expect(names({ b: { c: [1, 0] } })).toEqual(['b']);
    expect(names(HOSTILE)).toEqual(Object.keys(HOSTILE));
    // Written in another order, it is the same value.
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
    [{ 0: 1 }, [1], false],
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
