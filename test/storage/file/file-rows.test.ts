// Pages of the file in memory: records that are made when they are asked for are the same as
// records that are made at once.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES, type CollectionName } from '../../../src/core/domain/collection-name.js';
import { formatId } from '../../../src/core/domain/identifier.js';
import { memoryRecord } from '../../../src/core/records/memory-record.js';
import { RecordSet } from '../../../src/core/records/record-set.js';
import type { StoredRow } from '../../../src/core/records/record-storage.js';
import { storedFacts } from '../../../src/core/records/stored-facts.js';
import { FileRows } from '../../../src/storage/file/file-rows.js';
import { ownerColumn, statusColumn } from '../../../src/storage/file/record-columns.js';
import type { FilePage } from '../../../src/storage/file/record-pages.js';

/** A row with what its columns say; by default that is what its body says. */
type Row = StoredRow & { readonly columns?: readonly [owner: unknown, status: unknown] };

function columnsOf(row: Row): readonly [owner: unknown, status: unknown] {
  if (row.columns !== undefined) return row.columns;
  // A body that is none is looked at in any case.
  if (!isJson(row.body)) return ['amina', null];
  const { owner, status } = storedFacts(row);
  return [ownerColumn(owner), statusColumn(status)];
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** As the storage thread sends it. */
function pageOf(rows: readonly Row[]): FilePage {
  const bodies = rows.map(({ body }) => Buffer.from(body));
  const codes = rows.map(({ collection }) => {
    const code = COLLECTION_NAMES.indexOf(collection);
    return code === -1 ? collection : code;
  });
  const ids = rows.filter(({ body }) => !body.startsWith('{"id":"'));
  return {
    bodies: Uint8Array.from(Buffer.concat(bodies)).buffer,
    lengths: JSON.stringify(bodies.map(({ length }) => length)),
    positions: JSON.stringify(rows.map(({ position }) => position)),
    collections: JSON.stringify(codes),
    owners: JSON.stringify(rows.map((each) => columnsOf(each)[0])),
    statuses: JSON.stringify(rows.map((each) => columnsOf(each)[1])),
    ids: JSON.stringify(ids.map(({ position, id }) => [position, id])),
    invalid: JSON.stringify(
      rows.filter(({ body }) => !isJson(body)).map(({ position }) => position),
    ),
    last: rows.at(-1)?.position ?? 0,
  };
}

/** The pages of one load. */
function fileRows(pages: readonly (readonly Row[])[]): FileRows[] {
  return pages.map((page) => new FileRows(pageOf(page)).expectOneOwner());
}

function setOf(pages: readonly (readonly StoredRow[] | FileRows)[], countsBytes = false) {
  const set = new RecordSet({ countsBytes });
  for (const page of pages) set.load(page);
  set.loaded();
  return set;
}

/** Everything that a set says. */
function told(set: RecordSet) {
  const owners = set.owners.slice(0, 1_000);
  return {
    owners,
    // Before its records are asked for.
    ofEach: owners.map((owner) => set.countsOf(owner)),
    holdings: owners.map((owner) => set.sizeOf(owner)),
    counts: COLLECTION_NAMES.map((name) => [set.count(name), set.sequence(name)]),
    records: owners.map((owner) =>
      COLLECTION_NAMES.map((name) =>
        set.snapshot(owner, name).chunks.flatMap(({ records }) => records),
      ),
    ),
    position: set.nextPosition(),
  };
}

const OWNERS = ['amina', 'baraka', 'zoé', 'a"b', 'an owner with a longer name', undefined, ''];
const STATUSES = ['New', 'In progress, nearly done', 'é', 'a\nb', null, 7, undefined];

const row = fc.record({
  number: fc.integer({ min: 1, max: 99_999 }),
  collection: fc.constantFrom(...COLLECTION_NAMES),
  owner_sub: fc.constantFrom(...OWNERS),
  status: fc.constantFrom(...STATUSES),
  rest: fc.dictionary(fc.constantFrom('a', 'status', 'é'), fc.jsonValue()),
  isOdd: fc.boolean(),
});

const pages = fc.array(fc.array(row, { maxLength: 30 }), { maxLength: 4 }).map((all) => {
  let position = 0;
  return all.map((page) =>
    page.map(({ number, collection, owner_sub, status, rest, isOdd }): StoredRow => {
      const id = formatId(collection, number);
      const record = { id, owner_sub, status, ...(isOdd ? rest : { rest }) };
      const body = isOdd ? JSON.stringify(record, undefined, 1) : JSON.stringify(record);
      position += 3;
      return { position, collection, id, body };
    }),
  );
});

describe('Rows of a file', () => {
  it('are the rows of the page', () => {
    fc.assert(
      fc.property(pages, (all) => {
        for (const page of all) {
          const rows = new FileRows(pageOf(page));
          expect([...rows]).toEqual(page);
          expect(rows.differing).toEqual([]);
        }
      }),
    );
  });

  it('become the same records as rows that are made at once', () => {
    fc.assert(
      fc.property(pages, fc.boolean(), (all, countsBytes) => {
        const deferred = setOf(fileRows(all), countsBytes);
        expect(told(deferred)).toEqual(told(setOf(all, countsBytes)));
      }),
    );
  });

  const body = (id: string, owner: string) => JSON.stringify({ id, owner_sub: owner });
  const customer = (position: number, owner: string): StoredRow => {
    const id = formatId('customers', position);
    return { position, collection: 'customers', id, body: body(id, owner) };
  };

  it('are found, changed and removed although nobody has asked for their account', () => {
    const rows = [customer(1, 'amina'), customer(2, 'baraka'), customer(3, 'amina')];
    const set = setOf(fileRows([rows]));
    expect(set.sizeOf('amina').records).toBe(2);
    const before = set.find('amina', 'customers', 'CUS-0003');
    set.apply({ owner: 'amina', collection: 'customers', before, growth: 0 });
    const after = memoryRecord(4, 4, { text: '{}', status: undefined });
    set.apply({ owner: 'amina', collection: 'customers', after, growth: 0 });
    expect(
      set
        .snapshot('amina', 'customers')
        .chunks.flatMap(({ records }) => records)
        .map(({ position }) => position),
    ).toEqual([1, 4]);
    set.apply({
      owner: 'baraka',
      collection: 'orders',
      after: { ...after, position: 5 },
      growth: 0,
    });
    expect(
      set.snapshot('baraka', 'customers').chunks.flatMap(({ records }) => records),
    ).toHaveLength(1);
    expect(set.owners.slice(0, 9)).toEqual(['amina', 'baraka']);
  });

  it('of an account with very many records are all there', () => {
    const rows = Array.from({ length: 12_000 }, (_, i) => customer(i + 1, i % 4 ? 'much' : 'less'));
    const set = setOf(fileRows([rows.slice(0, 7_000), rows.slice(7_000)]));
    const positions = (owner: string) =>
      set
        .snapshot(owner, 'customers')
        .chunks.flatMap(({ records }) => records)
        .map((r) => r.position);
    expect(positions('much')).toHaveLength(9_000);
    expect(positions('less')).toEqual(rows.filter((_, i) => i % 4 === 0).map((r) => r.position));
  });

  it.each([
    ['is no JSON', { body: 'canary {' }, /CUS-0007 \(position 7\) is not JSON; restore a backup$/],
    [
      'is no JSON inside a value',
      { body: '{"id":"CUS-0007","owner_sub":"amina","visits":12canary}' },
      /CUS-0007 \(position 7\) is not JSON; restore a backup$/,
    ],
    [
      'is cut off',
      { body: '{"id":"CUS-0007","owner_sub":"amina","visits":' },
      /CUS-0007 \(position 7\) is not JSON; restore a backup$/,
    ],
    [
      'is of an unknown collection',
      { collection: 'invoices' as CollectionName },
      /invoices CUS-0007 \(position 7\) is of no collection; restore a backup$/,
    ],
  ])('are refused by name and position where one %s', (_, changes, reason) => {
    const bad = { ...customer(7, 'amina'), ...changes };
    expect(() => setOf(fileRows([[customer(1, 'amina'), bad]]))).toThrow(reason);
  });

  const AMINA = '{"id":"CUS-0007","owner_sub":"amina","x":"y"}';
  it.each<readonly [owner: string | null, body: string]>([
    ...['juma', 'amin', 'aminaa', 'amina"', 'amina","x":"y', '"', '', 'Amina', 'amina\\'].map(
      (owner) => [owner, AMINA] as const,
    ),
    [null, AMINA],
    ['é', '{"id":"CUS-0007","owner_sub":"\u00c3\u00a9"}'],
    ['\u00c3\u00a9', '{"id":"CUS-0007","owner_sub":"é"}'],
    ['a\\u0062', '{"id":"CUS-0007","owner_sub":"a\\u0062"}'],
    ['amina', '{"id":"CUS-0007","owner_sub":"amina","owner_sub":7'],
    ['amina', '{"id":"CUS-0007"}'],
  ])('are refused where the column says %j and the body is %s', (owner, body) => {
    const bad = { ...customer(7, 'amina'), body, columns: [owner, null] as const };
    expect(() => setOf(fileRows([[customer(1, 'amina'), bad]]))).toThrow(
      /CUS-0007 \(position 7\) (has another owner in its text than in its column|is not JSON); restore a backup$/,
    );
  });

  it.each([
    ['amina', '{"name":"é","owner_sub":"amina","id":"CUS-0007"}'],
    ['a"b', '{"id":"CUS-0007","owner_sub":"a\\"b"}'],
    ['amina', '{"id":"CUS-0007","owner_sub":"\\u0061mina"}'],
    ['zoé', '{"id":"CUS-0007","owner_sub":"zoé"}'],
    ['amina', '{"id":"CUS-\\u0030007","owner_sub":"amina"}'],
  ])('are of the owner %j where the body spells it %s', (owner, body) => {
    const set = setOf(fileRows([[{ ...customer(7, owner), body }]]));
    expect(set.find(owner, 'customers', 'CUS-0007')?.text).toBe(body);
  });

  it('have the status of the column, and of the body where it is parsed in any case', () => {
    const statusOf = (body: string, status: unknown) =>
      setOf(fileRows([[{ ...customer(7, 'amina'), body, columns: ['amina', status] }]])).find(
        'amina',
        'customers',
        'CUS-0007',
      )?.status;
    const plain = '{"id":"CUS-0007","owner_sub":"amina","status":"New"}';
    expect([statusOf(plain, 'New'), statusOf(plain, null), statusOf(plain, 0)]).toEqual([
      'New',
      undefined,
      null,
    ]);
    expect(statusOf('{"status":"New","id":"CUS-0007","owner_sub":"amina"}', null)).toBe('New');
  });
});
