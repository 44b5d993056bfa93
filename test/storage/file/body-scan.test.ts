// A record's owner, id and status without parsing its text: the same as parsing tells, always.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyScan } from '../../../src/storage/file/body-scan.js';

/** What the scan says of a body that stands between others; undefined where it wants the body parsed. */
function scanned(body: string) {
  const before = '{"id":"CUS-1","owner_sub":"é","status":"x"}';
  const bytes = Buffer.from(`${before}${body}{"id":"`);
  const start = Buffer.byteLength(before);
  const scan = new BodyScan(bytes);
  scan.finds(0, start);
  if (!scan.finds(start, start + Buffer.byteLength(body))) return undefined;
  const { id, owner, status } = scan;
  const text = (span: { start: number; end: number }) =>
    span.start === -1 ? undefined : bytes.toString('utf8', span.start, span.end);
  return {
    facts: { id: text(id), owner: text(owner), status: text(status) },
    isAscii: scan.isAscii,
  };
}

function parsed(body: string) {
  const { owner_sub: owner, id, status } = JSON.parse(body);
  return { facts: { id, owner, status }, isAscii: /^[\0-\x7f]*$/.test(body) };
}

describe('A scan finds without parsing', () => {
  it.each([
    '{"id":"ORD-0001","owner_sub":"amina","status":"New"}',
    '{"id":"ORD-0001","owner_sub":"amina"}',
    '{"id":"ORD-0001","owner_sub":"amina","a":{"status":"inner"}}',
    '{"id":"ORD-0001","owner_sub":"amina","a":[{"status":"inner"}],"status":"New"}',
    '{"id":"ORD-0001","owner_sub":"amina","a":[[],{},"]}"],"status":"","b":"x"}',
    '{"id":"ORD-0001","owner_sub":"amina","a":"status"}',
    '{"id":"ORD-0001","owner_sub":"amina","a":"status","status":"New"}',
    '{"id":"ORD-0001","owner_sub":"amina","status":"status"}',
    '{"id":"ORD-0001","owner_sub":"amina","a":"\\"status\\":\\\\","status":"New"}',
    '{"id":"ORD-0001","owner_sub":"zoé","status":"💇"}',
    '{"owner_sub":"amina","id":"ORD-0001","n":-1.5e3,"t":true,"f":false,"z":null}',
    '{"id":"ORD-0001","owner_sub":"am\x7fina","status":"New"}',
    '{"7":1,"id":"ORD-0001","owner_sub":"amina","status":"New"}',
  ])('%s', (body) => {
    expect(scanned(body)).toEqual(parsed(body));
  });
});

describe('A scan leaves to the parser', () => {
  it.each([
    '{"id":"ORD-0001","owner_sub":"","status":"New"}',
    '{"id":"ORD-0001","owner_sub":"amina","id":"ORD-0002"}',
    '{"id":"ORD-0001","owner_sub":"amina","owner_sub":"baraka"}',
    '{"id":"ORD-0001","owner_sub":"amina","owner_sub":7}',
    '{"id":"ORD-0001","owner_sub":"amina","status":"New","status":"Ready"}',
    '{"id":"ORD-0001","owner_sub":"amina","status":"New","status":1}',
    '{"id":"ORD-0001","owner_sub":"amina","status": "New"}',
    '{"id":"ORD-0001","owner_sub":"amina","status":"New" }',
    '{"id":"ORD-0001","owner_sub":"amina","status":"New" ,"a":1}',
    '{"id":"ORD-0001","owner_sub":"amina"} ',
    '{"id":"ORD-0001","owner_sub":"amina","status":null}',
    '{"id":"ORD-0001","owner_sub":"amina","status":["New"]}',
    '{"id":"ORD-0001","owner_sub":"amina","st\\u0061tus":"New"}',
    '{"id":"ORD-0001","owner_sub":"a\\"b"}',
    '{"id":"ORD-0001","owner_sub":"a\\u0000b"}',
    '{"id":7,"owner_sub":"amina"}',
    '{"id":"ORD-0001"}',
    '{}',
    '[]',
    '',
    '{"id":"ORD-0001","owner_sub":"amina","a":"',
    '{"id":"ORD-0001","owner_sub":"amina","a":{"b":1}',
    '{"id":"ORD-0001","owner_sub":"amina"',
  ])('%s', (body) => {
    expect(scanned(body)).toBeUndefined();
  });
});

it('of any record tells the same as parsing, or nothing', () => {
  const name = fc.constantFrom(
    'status',
    'id',
    'owner_sub',
    'a',
    '"',
    '{',
    'stat\\us',
    ':',
    '1',
    'é',
  );
  const value = fc.oneof(
    name,
    fc.constantFrom(null, 1, 'New', '}', '"status":"x"'),
    fc.dictionary(name, fc.constantFrom('New', null, 2)),
    fc.array(fc.dictionary(name, name)),
  );
  // As pairs, so that names may come twice.
  const record = fc.array(fc.tuple(name, value), { maxLength: 6 });
  let found = 0;
  fc.assert(
    fc.property(fc.string(), record, (owner, pairs) => {
      const members = [['id', 'ORD-0001'], ['owner_sub', owner], ...pairs];
      const texts = members.map((pair) => pair.map((part) => JSON.stringify(part)).join(':'));
      const body = `{${texts.join(',')}}`;
      const told = scanned(body);
      if (told === undefined) return;
      found++;
      expect(told).toEqual(parsed(body));
    }),
    { numRuns: 2_000 },
  );
  expect(found).toBeGreaterThan(200);
});

describe('A scan finds nothing in a body that is no JSON, such as', () => {
  const around = (value: string) => `{"id":"ORD-0001","owner_sub":"amina","a":${value},"b":1}`;
  it.each([
    ...['12x', '01', '-', '1.', '.5', '1e', '1e+', '+1', '0x1', 'NaN', '1 2'],
    ...['trve', 'True', 'nul', 'nulll', 'undefined', ''],
    ...['"a\\x"', '"a\\u12g4"', '"a\\', '"a\nb"', '"a\u0000b"', "'a'"],
    ...['[1,]', '[1 2]', '[,1]', '{1:2}', '{"a"}', '{"a":1,}', '{"a":1]', '[1}', '[[1]', '{"a":{}'],
  ])('%s', (value) => {
    expect(() => JSON.parse(around(value))).toThrow();
    expect(scanned(around(value))).toBeUndefined();
  });

  it('one with a byte that was changed', () => {
    const whole = fc.record({ a: fc.jsonValue(), b: fc.jsonValue(), status: fc.string() });
    const changed = fc.tuple(whole, fc.nat(), fc.integer({ min: 0, max: 0x7f }));
    let refused = 0;
    fc.assert(
      fc.property(changed, ([rest, where, byte]) => {
        const bytes = Buffer.from(JSON.stringify({ id: 'ORD-0001', owner_sub: 'amina', ...rest }));
        bytes[where % bytes.length] = byte;
        const body = bytes.toString();
        const told = scanned(body);
        if (told === undefined) refused++;
        else expect(told).toEqual(parsed(body));
      }),
      { numRuns: 5_000 },
    );
    expect(refused).toBeGreaterThan(500);
  });
});
