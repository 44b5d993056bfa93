// An account's limits at their edges: a limit may be met exactly, a change that adds
// nothing is never refused, and the writes of one group count together.

import { expect, it } from 'vitest';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { NO_LIMITS, quotaFailure } from '../../src/core/records/account-limits.js';
import { MapStorage } from './map-storage.js';
import { MemoryRecords } from './memory-records.js';

const PERSON = { name: 'Neema', phone: '1' };

it.each([
  ['no limit', NO_LIMITS, [9, 900], [1, 100], false],
  ['records that meet the limit', { maxBytes: 0, maxRecords: 3 }, [2, 0], [1, 0], false],
  ['a record more', { maxBytes: 0, maxRecords: 3 }, [3, 0], [1, 0], true],
  ['a change of a record', { maxBytes: 0, maxRecords: 3 }, [9, 0], [0, 50], false],
  ['bytes that meet the limit', { maxBytes: 300, maxRecords: 0 }, [2, 200], [1, 100], false],
  ['a byte more', { maxBytes: 300, maxRecords: 0 }, [2, 200], [0, 101], true],
  ['as many bytes as before', { maxBytes: 300, maxRecords: 0 }, [2, 900], [0, 0], false],
  ['fewer bytes than before', { maxBytes: 300, maxRecords: 0 }, [2, 900], [0, -1], false],
] as const)('%s', (_name, limits, [records, bytes], [moreRecords, moreBytes], isRefused) => {
  const growth = { records: moreRecords, bytes: moreBytes };
  const failure = quotaFailure(limits, { records, bytes }, growth);
  expect(failure?.ok).toBe(isRefused ? false : undefined);
});

it('counts the earlier writes of the same group, those of other accounts not', async () => {
  const measured = new MemoryRecords({ limits: { maxBytes: 1_000_000, maxRecords: 0 } });
  for (let i = 0; i < 4; i++) await measured.account('neema').create('customers', PERSON);
  const { bytes } = measured.set.sizeOf('neema');
  const storage = new MapStorage();
  const records = new MemoryRecords({ storage, limits: { maxBytes: bytes / 2, maxRecords: 0 } });
  storage.hold();
  const first = records.account('juma').create('customers', PERSON);
  await storage.begun(1);
  const neema = records.account('neema');
  const group = [
    neema.create('customers', PERSON),
    records.account('juma').create('customers', PERSON),
    neema.create('customers', PERSON),
    neema.create('customers', PERSON),
    neema.delete('customers', 'CUS-0002'),
    neema.create('customers', PERSON),
  ];
  storage.release();
  await first;
  const outcomes = await Promise.all(group);
  expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, true, true, false, true, true]);
});

it('counts a record that the same group deletes no longer', async () => {
  const storage = new MapStorage();
  // Groups end by size: the clock of the slices stands still.
  const records = new MemoryRecords({
    storage,
    limits: { maxBytes: 0, maxRecords: 1 },
    scheduler: new FairScheduler({ sliceMs: Infinity }),
  });
  const neema = records.account('neema');
  await neema.create('customers', PERSON);
  storage.hold();
  const first = records.account('juma').create('customers', PERSON);
  await storage.begun(2);
  const group = [
    neema.create('customers', PERSON),
    neema.delete('customers', 'CUS-0001'),
    neema.create('customers', PERSON),
    neema.create('customers', PERSON),
  ];
  storage.release();
  await first;
  const outcomes = await Promise.all(group);
  expect(outcomes.map((outcome) => outcome.ok)).toEqual([false, true, true, false]);
  expect(storage.commits).toHaveLength(3);
});
