// The records over a storage: which stored rows are refused, with errors that name the row and
// never quote it, and what all accounts of a database share.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { RECORD_MAX_BYTES } from '../../src/core/domain/limits.js';
import { openRecords } from '../../src/core/records/memory-store.js';
import { storageFailed } from '../../src/core/records/writes.js';
import { MapStorage } from './map-storage.js';
import { codeOf } from './memory-records.js';

const CUSTOMER = { name: 'Neema', phone: '1' };

function storageOf(...bodies: readonly object[]): MapStorage {
  const storage = new MapStorage();
  for (const [i, given] of bodies.entries()) {
    const row = { position: i + 1, collection: 'customers', id: `CUS-${i + 1}` } as const;
    const body = JSON.stringify({ ...CUSTOMER, id: row.id, owner_sub: 'neema', ...given });
    storage.rows.set(row.position, { ...row, body });
  }
  return storage;
}

it.each<[string, object, string]>([
  ['is no JSON', { body: '{"canary":' }, 'is not JSON'],
  ['is an array', { body: '["canary"]' }, 'is not a JSON object'],
  ['is null', { body: 'null' }, 'is not a JSON object'],
  ['has an unknown collection', { collection: 'invoices' }, 'has an unknown collection'],
  ['has the collection constructor', { collection: 'constructor' }, 'has an unknown collection'],
])(
  'A row that %s is refused by name and position, without its content',
  async (_, changes, what) => {
    const storage = storageOf({});
    const bad = { position: 7, collection: 'customers', id: 'CUS-9', body: '{}', ...changes };
    storage.rows.set(7, bad as never);
    await expect(openRecords({ storage })).rejects.toThrow(
      `the stored row ${bad.collection} CUS-9 (position 7) ${what}; restore a backup`,
    );
  },
);

it('Id and owner of a row are those in its body', async () => {
  const records = await openRecords({ storage: storageOf({ id: 'CUS-\0', owner_sub: 'a\0b' }) });
  expect(records.account('a\0b').read('customers', 'CUS-\0')).toMatchObject({ ok: true });
  expect(records.account('neema').read('customers', 'CUS-1')).toMatchObject({ ok: false });
});

it('A stored record above the limit may keep its size, or shrink', async () => {
  const storage = storageOf({ a: 'x'.repeat(RECORD_MAX_BYTES), b: 'x'.repeat(9) });
  const account = (await openRecords({ storage })).account('neema');
  const codeOfPatch = async (patch: object) =>
    codeOf(await account.update('customers', 'CUS-1', JSON.stringify(patch)));
  expect(await codeOfPatch({ b: 'x'.repeat(10) })).toBe('VALIDATION_FAILED');
  expect(await codeOfPatch({ b: 'y'.repeat(9) })).toBe('ok');
  expect(await codeOfPatch({ b: '' })).toBe('ok');
});

it('The records report how many writes of all accounts wait', async () => {
  const storage = new MapStorage();
  const records = await openRecords({ storage });
  const write = (owner: string) => records.account(owner).create('team', JSON.stringify(CUSTOMER));
  storage.hold();
  const first = write('first');
  await storage.begun(1);
  expect(records.writesWaiting).toBe(0);
  const others = ['neema', 'neema', 'juma'].map(write);
  await turn();
  expect(records.writesWaiting).toBe(3);
  storage.release();
  await Promise.all([first, ...others]);
  expect(records.writesWaiting).toBe(0);
  await records.close();
});

it('A delete stores the highest id number in a storage that has none yet', async () => {
  const storage = storageOf({}, { id: 'CUS-0007' });
  const records = await openRecords({ storage });
  await records.account('neema').delete('customers', 'CUS-0007');
  expect(storage.highest).toEqual({ customers: 7 });
});

it('A storage has one set of records, because two would assign the same ids, and none after a failed load', async () => {
  const storage = new MapStorage();
  vi.spyOn(storage, 'load').mockImplementationOnce(() => expect.fail('the disk is away'));
  await expect(openRecords({ storage })).rejects.toThrow('the disk is away');
  await openRecords({ storage });
  await expect(openRecords({ storage })).rejects.toThrow(
    /records are already open over this storage; use those/,
  );
});

it.each([
  ['Undefined', undefined],
  ['Promise', Promise.resolve(new MapStorage())],
])('%s instead of a storage is refused with one sentence', async (found, storage) => {
  const opened = openRecords({ storage: storage as never });
  await expect(opened).rejects.toThrow(`storage is ${found}; it must be a RecordStorage (await`);
});

it('A write after close is refused, and storage does not count as lost', async () => {
  const onStorageLost = vi.fn();
  const storage = new MapStorage();
  const records = await openRecords({ storage, onStorageLost });
  await records.close();
  const late = await records.account('neema').create('customers', JSON.stringify(CUSTOMER));
  expect(late).toEqual(storageFailed('notStored'));
  expect([storage.commits, onStorageLost.mock.calls]).toEqual([[], []]);
});

it('A search of accounts omits one whose last record is deleted in the meantime', async () => {
  const scheduler = new FairScheduler();
  vi.spyOn(scheduler, 'isSliceSpent').mockReturnValue(true);
  const storage = storageOf(...['a', 'b', 'c'].map((owner) => ({ owner_sub: `account-${owner}` })));
  const records = await openRecords({ storage, scheduler });
  vi.spyOn(scheduler, 'yield').mockImplementationOnce(async () => {
    await records.account('account-a').delete('customers', 'CUS-1');
  });
  const found = await records.operator.accounts({ q: 'ACCOUNT', page: 1, pageSize: 10 });
  const owners = (found.items as string[]).map((text) => JSON.parse(text).owner_sub);
  expect([owners, found.total]).toEqual([['account-b', 'account-c'], 2]);
});
