// What the writer tells those who measure it: commits with their sizes and ends,
// writes that wait, lost audit events.

import { expect, it } from 'vitest';
import { openRecords } from '../../src/core/records/memory-store.js';
import { MapStorage, turn } from './map-storage.js';
import { MemoryRecords, unsliced } from './memory-records.js';

const PERSON = { name: 'Neema', phone: '1' };

function open() {
  const told: unknown[][] = [];
  const events = {
    commitStarted: (writes: number) => void told.push(['started', writes]),
    commitFinished: (...end: unknown[]) => void told.push(['finished', ...end]),
    auditFailed: () => void told.push(['audit failed']),
  };
  const storage = new MapStorage();
  const records = new MemoryRecords({ storage, scheduler: unsliced(), events });
  return { told, events, storage, records };
}

it('The writer reports the beginning and the end of each commit, with the number of writes', async () => {
  const { told, storage, records } = open();
  const error = 'the disk is gone';
  storage.outcomes.push({ status: 'committed' }, { status: 'notStored', error });
  const [neema, juma] = [records.account('neema'), records.account('juma')];
  await Promise.all([neema.create('team', PERSON), juma.create('team', PERSON)]);
  await neema.create('team', PERSON);
  expect(told).toEqual([
    ['started', 2],
    ['finished', 'committed', undefined],
    ['started', 1],
    ['finished', 'notStored', error],
  ]);
});

it('The writer reports audit events that were not stored', async () => {
  const { told, storage, records } = open();
  storage.outcomes.push({ status: 'committed', auditError: new Error('no room') });
  await records.account('neema', { actor: 'admin' }).create('team', PERSON);
  expect(told).toContainEqual(['audit failed']);
});

it('The records report at any moment how many writes of all accounts wait', async () => {
  const { events, storage } = open();
  const records = await openRecords({ storage, events });
  const write = (owner: string) => records.account(owner).create('team', JSON.stringify(PERSON));
  storage.hold();
  const before = storage.commits.length;
  const first = write('first');
  await storage.begun(before + 1);
  expect(records.writesWaiting).toBe(0);
  const others = ['neema', 'neema', 'juma'].map(write);
  await turn();
  expect(records.writesWaiting).toBe(3);
  storage.release();
  await Promise.all([first, ...others]);
  expect(records.writesWaiting).toBe(0);
  await records.close();
});
