// The records over a journal: what one database has in common for all its
// accounts, and a record that storage would not take.

import { expect, it } from 'vitest';
import { openRecords } from '../../src/records/memory-store.js';
import { MapJournal } from './map-journal.js';

const CUSTOMER = { name: 'Neema', phone: '1' };

function idIn(outcome: { ok: boolean; value?: string }): string {
  return JSON.parse(outcome.value ?? '{}').id;
}

it('takes the ids of all accounts of a database from one sequence', async () => {
  const records = await openRecords({ journal: new MapJournal() });
  const ids: string[] = [];
  for (const owner of ['neema', 'juma', 'neema']) {
    ids.push(idIn(await records.account(owner).create('customers', CUSTOMER)));
  }
  expect(ids).toEqual(['CUS-0001', 'CUS-0002', 'CUS-0003']);
});

it('refuses a record above what storage takes alone, before it can fail those beside it', async () => {
  const journal = new MapJournal();
  journal.bodyMaxBytes = 300;
  const account = (await openRecords({ journal })).account('neema');
  const { id } = JSON.parse(await created(account.create('customers', CUSTOMER)));
  const commits = journal.commits.length;
  // Of two bytes each: within the limit by characters, above it by bytes.
  const large = { ...CUSTOMER, note: 'é'.repeat(150) };
  const outcomes = await Promise.all([
    account.create('customers', CUSTOMER),
    account.create('customers', large),
    account.update('customers', id, large),
    account.update('customers', id, { note: 'é'.repeat(80) }),
  ]);
  expect(outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.failure.code))).toEqual([
    'ok',
    'STORAGE_FAILED',
    'STORAGE_FAILED',
    'ok',
  ]);
  expect(journal.commits.length).toBe(commits + 1);
  const read = JSON.parse(await created(Promise.resolve(account.read('customers', id))));
  expect(read.note).toBe('é'.repeat(80));
});

async function created(outcome: Promise<{ ok: boolean; value?: string }>): Promise<string> {
  return (await outcome).value ?? '';
}
