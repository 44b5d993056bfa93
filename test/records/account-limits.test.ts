// An account's limits at their edges: a limit may be met exactly, a change that adds nothing is never
// refused, and the writes of one group count together.

import { expect, it } from 'vitest';
import { codeOf, MemoryRecords, unsliced } from './memory-records.js';

const PERSON = { name: 'Neema', phone: '1' };

it('A limit counts earlier writes and deletions of the same group, but not those of other accounts', async () => {
  const measured = new MemoryRecords({ limits: { maxBytes: 1_000_000, maxRecords: 0 } });
  for (let i = 0; i < 2; i++) await measured.account('neema').create('customers', PERSON);
  const maxBytes = measured.set.sizeOf('neema').bytes;
  const limits = { maxBytes, maxRecords: 0 };
  const records = new MemoryRecords({ limits, scheduler: unsliced() });
  const [neema, juma] = [records.account('neema'), records.account('juma')];
  const codes = await records.asOneGroup(() => [
    neema.create('customers', PERSON),
    juma.create('customers', PERSON),
    neema.create('customers', PERSON),
    neema.create('customers', PERSON),
    neema.delete('customers', 'CUS-0001'),
    neema.create('customers', PERSON),
    neema.create('customers', PERSON),
  ]);
  const refused = 'QUOTA_EXCEEDED';
  expect(codes).toEqual(['ok', 'ok', 'ok', refused, 'ok', 'ok', refused]);
});

it('A limit counts bytes, not characters, and always lets an account shrink', async () => {
  const records = new MemoryRecords({ limits: { maxBytes: 400, maxRecords: 3 } });
  const account = records.account('neema', { actor: 'admin' });
  const update = async (more: string) =>
    codeOf(await account.update('customers', 'CUS-0001', { more }));
  expect((await account.create('customers', { ...PERSON, note: 'é'.repeat(120) })).ok).toBe(true);
  expect(await update('é'.repeat(60))).toBe('QUOTA_EXCEEDED');
  expect([await update('e'.repeat(60)), await update('shorter')]).toEqual(['ok', 'ok']);
  const read = account.read('customers', 'CUS-0001');
  const bytes = Buffer.byteLength(read.ok ? read.value : '');
  expect(records.set.sizeOf('neema')).toEqual({ records: 1, bytes });
  expect((await account.delete('customers', 'CUS-0001')).ok).toBe(true);
  expect(records.set.sizeOf('neema')).toEqual({ records: 0, bytes: 0 });
});

it('An account may reach the limit of records, and cannot grow above limits that were set later', async () => {
  const before = new MemoryRecords({ limits: { maxBytes: 1_000_000, maxRecords: 2 } });
  const create = async () => codeOf(await before.account('neema').create('customers', PERSON));
  const codes = [await create(), await create(), await create()];
  expect(codes).toEqual(['ok', 'ok', 'QUOTA_EXCEEDED']);
  // A refused create uses no id.
  expect(before.set.sequences.customers).toBe(2);
  const limits = { maxBytes: 10, maxRecords: 1 };
  const account = new MemoryRecords({ set: before.set, limits }).account('neema');
  const named = async (name: string) =>
    codeOf(await account.update('customers', 'CUS-0001', { name }));
  expect([await named('Junia'), await named('Eva')]).toEqual(['ok', 'ok']);
  expect(await named('Salome')).toBe('QUOTA_EXCEEDED');
  expect((await account.delete('customers', 'CUS-0001')).ok).toBe(true);
});
