// Rows of the file as a start reads them: in pages, without parsing a body that starts as this
// program writes it.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RecordSet } from '../../../src/core/records/record-set.js';
import type { PutRow } from '../../../src/core/records/record-storage.js';
import { Connection } from '../../../src/storage/file/connection.js';
import { SCHEMA } from '../../../src/storage/file/file-schema.js';
import { rowsOf, storedPage } from '../../../src/storage/file/stored-rows.js';

let connection: Connection;
beforeEach(() => {
  connection = new Connection(':memory:');
  connection.batch(SCHEMA.map((sql) => [sql]));
});
afterEach(() => connection.close());

/** In SQL, so that a test can write what no commit would. */
function put(position: number, body: string, columns = "'amina', null", collection = 'customers') {
  const quoted = body.replaceAll("'", "''").replaceAll('\0', "' || char(0) || '");
  connection.value(
    `insert into records values (${position}, '${collection}', 'CUS-${position}', '${quoted}', 1, 1, ${columns})`,
  );
}

function pages(): PutRow[][] {
  const all: PutRow[][] = [];
  for (let last = 0; ; ) {
    const page = storedPage(connection, last);
    if (page === undefined) return all;
    all.push(rowsOf(page));
    last = page.last;
  }
}

function setOf(): RecordSet {
  const set = new RecordSet();
  for (const page of pages()) set.load(page);
  return set;
}

const bodyOf = (position: number, more = '') =>
  `{"id":"CUS-${String(position).padStart(4, '0')}","owner_sub":"amina"${more}}`;

it('Pages are bounded in bytes, except for a single larger row', () => {
  for (const at of [1, 2, 3, 4, 5]) put(at, bodyOf(at, `,"x":"${'x'.repeat(3_000_000)}"`));
  put(6, bodyOf(6, `,"x":"${'x'.repeat(9_000_000)}"`));
  const sizes = pages().map((rows) => rows.reduce((sum, { body }) => sum + body.length, 0));
  expect(sizes.every((size, i) => size < 8_000_000 || pages()[i]?.length === 1)).toBe(true);
  expect(pages().flat()).toHaveLength(6);
});

describe('A row', () => {
  it('that is not JSON is refused by name and position', () => {
    put(7, 'canary {');
    expect(setOf).toThrow('the stored row customers CUS-7 (position 7) is not JSON; restore a');
  });

  it('that contains the separator of bodies is refused', () => {
    put(7, bodyOf(7, ',"x":"\x1e"'));
    expect(setOf).toThrow('a page of its rows has more bodies than rows; restore a backup');
  });

  const AMINA = '{"id":"CUS-0007","owner_sub":"amina","x":"y"}';
  it.each<readonly [owner: string | null, body: string]>([
    ...['amin', 'aminaa', 'amina"', '', 'Amina'].map((owner) => [owner, AMINA] as const),
    [null, AMINA],
    ['é', '{"id":"CUS-0007","owner_sub":"\u00c3\u00a9"}'],
    ['a\\u0062', '{"id":"CUS-0007","owner_sub":"a\\u0062"}'],
    ['amina', '{"id":"CUS-0007"}'],
    ['amina', '{"no":"CUS-0007","owner_sub":"amina","owner_sub":"baraka"}'],
  ])('is refused if its column is %j and its body %s', (owner, body) => {
    put(7, body, owner === null ? 'null, null' : `'${owner}', null`);
    expect(setOf).toThrow(/ has different owners in its text and its column; restore a backup$/);
  });

  it.each([
    ['amina', '{"name":"é","owner_sub":"amina","id":"CUS-0007"}'],
    ['a"b', '{"id":"CUS-0007","owner_sub":"a\\"b"}'],
    ['amina', '{"id":"CUS-0007","owner_sub":"\\u0061mina"}'],
    ['zoé', '{"id":"CUS-0007","owner_sub":"zoé"}'],
    ['amina', '{"id":"CUS-\\u0030007","owner_sub":"amina"}'],
    ['amina', '{"no":"CUS-1","owner_sub":"amina","id":"CUS-0007"}'],
  ])('belongs to the owner %j if the body spells it %s', (owner, body) => {
    put(7, body, `'${owner}', null`);
    expect(setOf().find(owner, 'customers', 'CUS-0007')?.text).toBe(body);
  });

  it('has the status of the column, or of the body if that is parsed anyway', () => {
    put(1, bodyOf(1, ',"status":"New"'), "'amina', 'New'");
    put(2, bodyOf(2, ',"status":7'), "'amina', 0");
    put(3, '{"status":"New","id":"CUS-0003","owner_sub":"amina"}');
    put(4, bodyOf(4));
    const set = setOf();
    const statuses = set
      .list('amina', 'customers')
      ?.page(0, 9)
      .map(({ status }) => status);
    expect(statuses).toEqual([undefined, 'New', null, 'New']);
  });
});
