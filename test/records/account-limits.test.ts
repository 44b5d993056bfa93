// An account's limits at their edges: a limit may be met exactly, a change that adds
// nothing is never refused, and the writes of one group count together.

import { expect, it } from 'vitest';
import { NO_LIMITS, quotaFailure } from '../../src/core/records/account-limits.js';
import { codeOf, MemoryRecords, unsliced } from './memory-records.js';

const PERSON = { name: 'Neema', phone: '1' };

const THREE_RECORDS = { maxBytes: 0, maxRecords: 3 };
const BYTES_300 = { maxBytes: 300, maxRecords: 0 };
it.each([
  ['no limit', NO_LIMITS, [9, 900], [1, 100], false],
  ['records that meet the limit', THREE_RECORDS, [2, 0], [1, 0], false],
  ['a record more', THREE_RECORDS, [3, 0], [1, 0], true],
  ['a change of a record', THREE_RECORDS, [9, 0], [0, 50], false],
  ['bytes that meet the limit', BYTES_300, [2, 200], [1, 100], false],
  ['a byte more', BYTES_300, [2, 200], [0, 101], true],
  ['as many bytes as before', BYTES_300, [2, 900], [0, 0], false],
  ['fewer bytes than before', BYTES_300, [2, 900], [0, -1], false],
] as const)('%s', (_name, limits, [records, bytes], [more, moreBytes], isRefused) => {
  const failure = quotaFailure(limits, { records, bytes }, { records: more, bytes: moreBytes });
  expect(failure?.ok).toBe(isRefused ? false : undefined);
});

it('counts the earlier writes and deletions of the same group, those of other accounts not', async () => {
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

it('counts bytes, not characters, and always lets an account shrink', async () => {
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
