// Contract, "Common record rules": what a PATCH does to a record.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { patchedRecord } from '../../src/domain/record.js';
import { body, HOSTILE, own } from './record-bodies.js';

function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

function patch(stored: string, sent: JsonObject) {
  const outcome = atOnce(patchedRecord('businesses', stored, sent));
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

function patched(stored: JsonObject | string, sent: JsonObject): JsonObject {
  return JSON.parse(patch(typeof stored === 'string' ? stored : JSON.stringify(stored), sent).text);
}

describe('patchedRecord', () => {
  const stored = { id: 'ORD-0001', owner_sub: 'me', ownerSub: 'own', a: { b: 1, c: 2 }, d: 1 };

  it('is shallow: a property is replaced as a whole', () => {
    expect(patched(stored, { a: { x: 1 } })).toEqual({ ...stored, a: { x: 1 } });
  });

  it('sets null, and removes nothing', () => {
    expect(patched(stored, { d: null })).toEqual({ ...stored, d: null });
  });

  it('keeps the order of what is stored, and puts behind it what is new', () => {
    const text = JSON.stringify(stored);
    expect(patch(text, {}).text).toBe(text);
    expect(patch('{"id":"X","b":1,"a":2}', { c: 3, a: 0, b: [] }).text).toBe(
      '{"id":"X","b":[],"a":0,"c":3}',
    );
  });

  it('keeps id, owner_sub and ownerSub, also where there was none', () => {
    const taken = { id: 'X', owner_sub: 'x', ownerSub: 'x' };
    expect(patched(stored, taken)).toEqual(stored);
    expect(patched({ id: 'ORD-0002' }, taken)).toEqual({ id: 'ORD-0002' });
  });

  it('has for each property the last value that was sent, and changes neither part', () => {
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

  it('keeps to the byte what was not sent, however it was written', () => {
    const odd = ' {"id" : "X",\t"\\u0061": [1.0, "}\\"]"] ,"b":1e2\n, "c":{"b" : 2} } ';
    expect(patch(odd, { b: 5, d: 6 }).text).toBe(
      odd.replace('1e2\n', '5\n').replace(' } ', ' ,"d":6} '),
    );
    expect(patch(odd, { a: 0 }).text).toBe(odd.replace('[1.0, "}\\"]"]', '0'));
    expect(patch(' { } ', { a: 1, b: 2 }).text).toBe(' { "a":1,"b":2} ');
  });

  it('of a name that is stored twice leaves no old value', () => {
    expect(patched('{"id":"X","a":1,"b":2,"a":3}', { a: 4 })).toEqual({ id: 'X', a: 4, b: 2 });
  });

  it('judges the whole: what was sent, and what is stored', () => {
    const refused = (text: string, sent: JsonObject) => {
      const outcome = atOnce(patchedRecord('customers', text, sent));
      return outcome.ok ? '' : outcome.failure.message;
    };
    expect(refused('{"id":"X","name":"Neema","phone":"1"}', { name: '' })).toMatch(
      /^name is an empty/,
    );
    expect(refused('{"id":"X","name":"Neema","phone":1}', { name: 'Asha' })).toMatch(
      /^phone is a num|^phone is 1/,
    );
    expect(refused('{"id":"X","name":"Neema"}', { note: '' })).toMatch(/^phone is missing/);
    expect(refused('{"id":"X","name":"Ne\\u0065ma"}', { phone: '1' })).toBe('');
  });

  it('says the status that lists filter by', () => {
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

  it('stops on its way through very many properties, and no earlier', () => {
    const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`p${i}`, i]));
    const stops = (text: JsonObject, sent: JsonObject) => [
      ...patchedRecord('businesses', JSON.stringify(text), sent),
    ];
    expect(stops(many, { a: 1 })).toHaveLength(2);
    expect(stops({ a: 1 }, many)).toHaveLength(2);
    expect(stops({ a: 'x'.repeat(1_000_000) }, { b: 1 })).toHaveLength(0);
  });

  it('names the properties whose value differs, for the audit log', () => {
    const before = { id: 'x', a: 1, b: { c: [1, null] }, d: 'same', e: null };
    const names = (sent: JsonObject) => patch(JSON.stringify(before), sent).changed;
    expect(names({ ...before, id: 'y', a: 2, f: null })).toEqual(['a', 'f']);
    expect(names(before)).toEqual([]);
    expect(names({ b: { c: [1, 0] } })).toEqual(['b']);
    expect(names(HOSTILE)).toEqual(Object.keys(HOSTILE));
  });
});
