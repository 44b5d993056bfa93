// Writes over storage with a replica, and audit events that storage did not take: what
// the sender is told, what memory holds, and what the log says.

import { expect, it } from 'vitest';
import { unsliced } from '../../src/core/admission/fair-scheduler.js';
import type { Outcome } from '../../src/core/domain/errors.js';
import { openRecords } from '../../src/core/records/memory-store.js';
import { keptLog } from '../support/kept-log.js';
import { MapStorage } from './map-storage.js';

const PERSON = JSON.stringify({ name: 'Neema', phone: '1' });
const ALL = { q: '', status: '', page: 1, pageSize: 100 };

async function open() {
  const [storage, log] = [new MapStorage(), keptLog()];
  // Groups end by size: the clock of the slices stands still.
  const records = await openRecords({ storage, log, scheduler: unsliced() });
  const account = records.account('neema', { actor: 'admin', isDisconnected: () => false });
  return {
    storage,
    log,
    create: () => account.create('customers', PERSON),
    total: async () => (await account.list('customers', ALL)).total,
    faults: () => log.lines.filter(({ level }) => level === 'error'),
  };
}

function failureOf(outcome: Outcome<string>) {
  return outcome.ok ? undefined : outcome.failure;
}

it('that are kept on this machine alone are in memory, and are not acknowledged', async () => {
  const { storage, create, total, faults } = await open();
  storage.outcomes.push({ status: 'notReplicated', error: 'no answer', auditError: 'no room' });
  const failure = failureOf(await create());
  expect(failure?.code).toBe('STORAGE_UNAVAILABLE');
  expect(failure?.message).toMatch(/kept on this machine.*read the record before trying again/);
  expect(await total()).toBe(1);
  expect(faults()).toEqual([
    {
      level: 'error',
      event: 'admin_audit_write_failed',
      fields: { events: 1, records: 'create CUS-0001', error: 'no room' },
    },
    { level: 'error', event: 'storage_not_replicated', fields: { error: 'no answer' } },
  ]);
});

it('that the replica refuses change nothing, and may be tried again after 5 s', async () => {
  const { storage, create, total, faults } = await open();
  storage.outcomes.push({ status: 'rejected', error: 'no answer' });
  const failure = failureOf(await create());
  expect(failure).toMatchObject({ code: 'STORAGE_UNAVAILABLE', retryAfterSeconds: 5 });
  expect(failure?.message).toMatch(/^nothing was changed.*try again later$/);
  expect([await total(), faults()]).toEqual([0, []]);
  expect((await create()).ok).toBe(true);
});

it('are not staged while storage says that it takes none', async () => {
  const { storage, create, total } = await open();
  storage.refusal = 'the replica is away';
  expect(failureOf(await create())?.code).toBe('STORAGE_UNAVAILABLE');
  expect([storage.commits.length, await total()]).toEqual([0, 0]);
  storage.refusal = undefined;
  const created = await create();
  expect(created.ok && JSON.parse(created.value).id).toBe('CUS-0001');
});

it('name at most 100 of the records whose audit events are lost, and count all', async () => {
  const { storage, create, faults } = await open();
  storage.hold();
  const first = create();
  await storage.begun(1);
  storage.outcomes.push({ status: 'committed' });
  storage.outcomes.push({ status: 'committed', auditError: 'no room' });
  const others = Array.from({ length: 102 }, create);
  storage.release();
  await Promise.all([first, ...others]);
  const [fault] = faults();
  expect(fault?.fields).toMatchObject({ events: 102 });
  const names = String(fault?.fields['records']).split(', ');
  expect([names.length, names[0], names.at(-1)]).toEqual([
    100,
    'create CUS-0002',
    'create CUS-0101',
  ]);
});
