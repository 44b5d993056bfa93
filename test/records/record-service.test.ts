// The records over a storage: what one database has in common for all its
// accounts, and a record that storage would not take.

import { expect, it, vi } from 'vitest';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import { RECORD_MAX_BYTES } from '../../src/core/domain/limits.js';
import { openRecords } from '../../src/core/records/memory-store.js';
import type { OperatorViews, ViewQuery } from '../../src/core/records/record-service.js';
import { RecordSet } from '../../src/core/records/record-set.js';
import { MapStorage, turn } from './map-storage.js';
import { codeOf, MemoryRecords, unsliced } from './memory-records.js';

const CUSTOMER = { name: 'Neema', phone: '1' };

it('refuses a record of more than 1 MiB and 64 KiB of JSON, and makes the writes after it', async () => {
  const records = new MemoryRecords({ scheduler: unsliced() });
  const account = records.account('neema');
  // Of two bytes each: within the limit by characters, above it by bytes.
  const half = 'é'.repeat(RECORD_MAX_BYTES / 4);
  await account.create('customers', { ...CUSTOMER, half });
  const outcomes = await Promise.all([
    account.create('customers', CUSTOMER),
    account.create('customers', { ...CUSTOMER, half, other: half }),
    account.update('customers', 'CUS-0001', { other: half }),
    account.update('customers', 'CUS-0001', { other: half.slice(100) }),
    account.create('customers', CUSTOMER),
  ]);
  const codes = outcomes.map(codeOf);
  expect(codes).toEqual(['ok', 'VALIDATION_FAILED', 'VALIDATION_FAILED', 'ok', 'ok']);
  // A refused create uses no id.
  expect(account.read('customers', 'CUS-0003').ok).toBe(true);
});

it('lets a record that is stored longer stay as long, and shrink', async () => {
  const storage = new MapStorage();
  const long = { ...CUSTOMER, a: 'x'.repeat(RECORD_MAX_BYTES), b: 'x'.repeat(9) };
  const body = JSON.stringify({ id: 'CUS-0001', owner_sub: 'neema', ...long });
  storage.rows.set(1, { position: 1, collection: 'customers', id: 'CUS-0001', body });
  const account = (await openRecords({ storage })).account('neema');
  const codeOfPatch = async (patch: object) =>
    codeOf(await account.update('customers', 'CUS-0001', JSON.stringify(patch)));
  expect(await codeOfPatch({ b: 'x'.repeat(10) })).toBe('VALIDATION_FAILED');
  expect(await codeOfPatch({ b: 'y'.repeat(9) })).toBe('ok');
  expect(await codeOfPatch({ b: '' })).toBe('ok');
});

it('reports at any moment how many writes of all accounts wait', async () => {
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

it('stores the numbers of ids with a delete in a storage that has none yet', async () => {
  const storage = withAccounts(7);
  const records = await openRecords({ storage });
  await records.account('account-0000').delete('customers', 'CUS-7');
  expect(storage.highest).toEqual({ customers: 7 });
});

/** A record of each of so many accounts, the last account's first. */
function withAccounts(count: number, collection: CollectionName = 'customers'): MapStorage {
  const storage = new MapStorage();
  for (let position = 1; position <= count; position++) {
    const owner_sub = `account-${String(count - position).padStart(4, '0')}`;
    const id = `CUS-${position}`;
    const body = JSON.stringify({ ...CUSTOMER, id, owner_sub });
    storage.rows.set(position, { position, collection, id, body });
  }
  return storage;
}

it('leaves out an account whose last record goes during the search', async () => {
  const scheduler = new FairScheduler();
  vi.spyOn(scheduler, 'isSliceSpent').mockReturnValue(true);
  const storage = withAccounts(3, 'businesses');
  const records = await openRecords({ storage, scheduler });
  // The search waits after the first subject, which does not contain `q`.
  vi.spyOn(scheduler, 'yield').mockImplementationOnce(async () => {
    await records.account('account-0000').delete('businesses', 'CUS-3');
  });
  const found = await accountsIn(records.operator, { q: 'neema', page: 1, pageSize: 10 });
  expect(found).toEqual({ owners: ['account-0001', 'account-0002'], total: 2 });
});

it('sorts the accounts once, and goes through them for no overview or page of them', async () => {
  const records = await openRecords({ storage: withAccounts(50) });
  await records.operator.accounts({ q: '', page: 1, pageSize: 1 });
  await records.account('account-0007a').create('customers', JSON.stringify(CUSTOMER));
  // The writer looks once more for what waits.
  await turn();
  const loops = ['keys', 'values', 'entries', 'forEach', Symbol.iterator] as const;
  const walks = [
    ...(['sort', 'toSorted'] as const).map((name) => vi.spyOn(Array.prototype, name)),
    ...loops.map((name) => vi.spyOn(Map.prototype, name)),
    // A search looks at each account's profiles.
    vi.spyOn(RecordSet.prototype, 'snapshot'),
  ];
  const overview = await records.operator.overview();
  const page = await accountsIn(records.operator, { q: '', page: 2, pageSize: 7 });
  const counts = walks.map((walk) => walk.mock.calls.length);
  for (const walk of walks) walk.mockRestore();
  expect(counts).toEqual(walks.map(() => 0));
  expect([overview.tenant_count, overview.record_count, page.total]).toEqual([51, 51, 51]);
  expect(page.owners.slice(0, 2)).toEqual(['account-0007', 'account-0007a']);
});

/** The subjects on a page of the accounts. */
async function accountsIn(operator: OperatorViews, query: ViewQuery) {
  const { items, total } = await operator.accounts(query);
  const owners = (items as string[]).map((text): string => JSON.parse(text).owner_sub);
  return { owners, total };
}
