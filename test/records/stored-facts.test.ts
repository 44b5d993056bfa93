// A record's owner, id and status without parsing its text: the same as parsing tells, always.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { statusOf } from '../../src/domain/record.js';
import { storedFacts } from '../../src/records/stored-facts.js';

function parsedFacts(body: string) {
  const record = JSON.parse(body);
  const { owner_sub: owner, id } = record;
  return {
    owner: typeof owner === 'string' && owner !== '' ? owner : undefined,
    id: typeof id === 'string' ? id : 'column',
    status: statusOf(record),
  };
}

function factsOf(body: string) {
  return storedFacts({ position: 1, collection: 'orders', id: 'column', body });
}

it.each([
  '{"id":"ORD-0001","owner_sub":"amina","status":"New"}',
  '{"id":"ORD-0001","owner_sub":"amina"}',
  '{"id":"ORD-0001","owner_sub":"","status":"New"}',
  '{"id":"ORD-0001","owner_sub":"amina","id":"ORD-0002"}',
  '{"id":"ORD-0001","owner_sub":"amina","owner_sub":"baraka"}',
  '{"id":"ORD-0001","owner_sub":"amina","owner_sub":7}',
  '{"id":"ORD-0001","owner_sub":"amina","status":"New","status":"Ready"}',
  '{"id":"ORD-0001","owner_sub":"amina","status":"New","status":1}',
  '{"id":"ORD-0001","owner_sub":"amina","a":{"status":"inner"}}',
  '{"id":"ORD-0001","owner_sub":"amina","a":[{"status":"inner"}],"status":"New"}',
  '{"id":"ORD-0001","owner_sub":"amina","a":"status"}',
  '{"id":"ORD-0001","owner_sub":"amina","a":"status","status":"New"}',
  '{"id":"ORD-0001","owner_sub":"amina","status":"status"}',
  '{"id":"ORD-0001","owner_sub":"amina","status": "New"}',
  '{"id":"ORD-0001","owner_sub":"amina","status":null}',
  '{"id":"ORD-0001","owner_sub":"amina","status":["New"]}',
  '{"id":"ORD-0001","owner_sub":"amina","st\\u0061tus":"New"}',
  '{"id":"ORD-0001","owner_sub":"a\\"b","status":"N\\\\"}',
  '{"id":"ORD-0001","owner_sub":"a\\u0000b"}',
  '{"owner_sub":"amina","id":"ORD-0001"}',
  '{"7":1,"id":"ORD-0001","owner_sub":"amina","status":"New"}',
  '{"id":7,"owner_sub":"amina"}',
  '{"id":"ORD-0001"}',
  '{}',
])('%s', (body) => {
  expect(factsOf(body)).toEqual(parsedFacts(body));
});

it('any record that begins with an id and an owner', () => {
  const name = fc.constantFrom('status', 'id', 'owner_sub', 'a', '"', '{', 'stat\\us', ':', '1');
  const value = fc.oneof(
    name,
    fc.constantFrom(null, 1, 'New', '}', '"status":"x"'),
    fc.dictionary(name, fc.constantFrom('New', null, 2)),
    fc.array(fc.dictionary(name, name)),
  );
  // As pairs, so that names may come twice.
  const record = fc.array(fc.tuple(name, value), { maxLength: 6 });
  fc.assert(
    fc.property(fc.string(), record, (owner, pairs) => {
      const members = [['id', 'ORD-0001'], ['owner_sub', owner], ...pairs];
      const texts = members.map((pair) => pair.map((part) => JSON.stringify(part)).join(':'));
      const body = `{${texts.join(',')}}`;
      expect(factsOf(body)).toEqual(parsedFacts(body));
    }),
    { numRuns: 2_000 },
  );
});
