// Taking stored rows into memory: what they say, and which are refused, in
// words that name the row and never quote it.

import { describe, expect, it } from 'vitest';
import { openRecords } from '../../src/core/records/memory-store.js';
import { RecordSet } from '../../src/core/records/record-set.js';
import type { StoredRow } from '../../src/core/records/record-storage.js';
import { MapStorage } from './map-storage.js';

function row(changes: Partial<StoredRow> = {}): StoredRow {
  const body = '{"id":"CUS-0042","owner_sub":"neema"}';
  return { position: 7, collection: 'customers', id: 'CUS-0042', body, ...changes };
}

function setOf(...rows: readonly StoredRow[]): RecordSet {
  const set = new RecordSet();
  set.load(rows);
  return set;
}

describe('Loading a row', () => {
  it.each<[string, object, RegExp]>([
    ['that is no JSON', { body: 'canary {' }, /is not JSON; restore a backup$/],
    ['that is cut off', { body: '{"canary":' }, /is not JSON; restore a backup$/],
    ['that is an array', { body: '["canary"]' }, /is not a JSON object; restore a backup$/],
    ['that is null', { body: 'null' }, /is not a JSON object; restore a backup$/],
    ['of no collection', { collection: 'invoices' }, /is of no collection; restore a backup$/],
    ['of a name of each object', { collection: 'constructor' }, /is of no collection; restore/],
  ])('%s is refused by name and position, without its content', async (_, changes, reason) => {
    const bad = row(changes);
    const storage = new MapStorage();
    storage.rows.set(bad.position, bad);
    const refusal = await openRecords({ storage }).catch((error: Error) => error.message);
    expect(refusal).toMatch(reason);
    expect(refusal).toContain(`${bad.collection} CUS-0042 (position 7)`);
    expect(refusal).not.toContain('canary');
  });

  it('takes id and owner from the body', () => {
    const body = '{"id":"CUS-cut\\u0000tail","owner_sub":"a\\u0000b"}';
    const set = setOf(row({ id: 'CUS-cut', body }));
    expect(set.find('a\0b', 'customers', 'CUS-cut\0tail')?.position).toBe(7);
    expect(set.owners.slice(0, 9)).toEqual(['a\0b']);
  });

  it('continues positions and sequences after the highest stored', () => {
    const rowOf = (position: number, id: string) =>
      row({ position, id, body: JSON.stringify({ id, owner_sub: 'neema' }) });
    const set = setOf(rowOf(3, 'CUS-0100'), rowOf(9, 'CUS-0002'));
    const collections = ['customers', 'customers', 'orders'] as const;
    expect(collections.map((name) => set.next(name))).toEqual([
      { key: 101, position: 10 },
      { key: 102, position: 11 },
      { key: 1, position: 12 },
    ]);
  });

  it.each(['{"id":"CUS-0042"}', '{"id":"CUS-0042","owner_sub":""}', '{"owner_sub":7}'])(
    'counts %s, which has no owner, and shows it to no account',
    (body) => {
      const set = setOf(row({ body }));
      expect(set.counts.customers).toBe(1);
      expect(set.owners.slice(0, 9)).toEqual([]);
      expect(['', '7', 'undefined'].filter((owner) => set.list(owner, 'customers'))).toEqual([]);
      expect(set.next('customers').key).toBe(43);
    },
  );
});

it('Counts and owners follow every change, whether they were looked at before or not', () => {
  const sets = [setOf(row()), setOf(row())];
  void sets[0]?.owners;
  for (const set of sets) {
    const first = set.find('neema', 'customers', 'CUS-0042');
    const at = (owner: string, position: number) => ({
      owner,
      collection: 'customers' as const,
      byteDelta: 0,
      id: '',
      before: undefined,
      after: { position, key: position, text: '{}', status: undefined },
    });
    for (const [i, owner] of ['juma', 'asha', 'juma'].entries()) set.apply(at(owner, 50 + i));
    expect(set.counts.customers).toBe(4);
    expect(set.owners.slice(0, 9)).toEqual(['asha', 'juma', 'neema']);
    if (first === undefined) throw new Error('the loaded record is not there');
    set.apply({ ...at('neema', 0), before: first, after: undefined });
    expect(set.counts.customers).toBe(3);
    expect(set.owners.slice(0, 9)).toEqual(['asha', 'juma']);
    expect([set.ownerCount, set.has('neema'), set.has('juma')]).toEqual([2, false, true]);
  }
});
