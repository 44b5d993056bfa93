// The writer between accounts: they take turns, nothing is done for a client
// that has gone, and expensive work elsewhere holds up nobody else.

import { describe, expect, it } from 'vitest';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { type RecordWork, workInPlace } from '../../src/core/records/record-work.js';
import { MapStorage, turn } from './map-storage.js';
import { codeOf, MemoryRecords } from './memory-records.js';

const PERSON = { name: 'Neema', phone: '1' };
const ID = 'CUS-0001';

/** Each look at the clock ends the slice: a group has one write. */
function oneWriteAGroup(): FairScheduler {
  let now = 0;
  return new FairScheduler({ pause: turn, stopwatch: () => (now += 2) });
}

/** Work that waits until the test lets it go on. */
class SlowWork implements RecordWork {
  readonly waiting: (() => void)[] = [];
  readonly newRecord = workInPlace.newRecord;
  readonly paymentRow = workInPlace.paymentRow;

  async patchedRecord(...args: Parameters<RecordWork['patchedRecord']>) {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    return workInPlace.patchedRecord(...args);
  }

  async finish(): Promise<void> {
    while (this.waiting.length === 0) await turn();
    this.waiting.shift()?.();
    await turn();
  }
}

describe('Waiting writes', () => {
  it('of one account delay another by one write, and are made in the order in which it sent them', async () => {
    const records = new MemoryRecords({ scheduler: oneWriteAGroup() });
    const [flood, shop] = [records.account('flood'), records.account('shop')];
    const answered: string[] = [];
    const note = (name: string) => () => void answered.push(name);
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    const sent = numbers.map((n) => flood.create('team', { ...PERSON, n }).then(note('flood')));
    await shop.create('customers', PERSON).then(note('shop'));
    expect(answered).toEqual(['flood', 'shop']);
    await Promise.all(sent);
    const page = await flood.list('team', { q: '', status: '', page: 1, pageSize: 100 });
    expect(page.items.map((item) => JSON.parse(item).n)).toEqual(numbers.toReversed());
  });

  it('are not made when their client has gone before they are staged', async () => {
    const storage = new MapStorage();
    const records = new MemoryRecords({ storage });
    let isGone = false;
    const account = records.account('shop', { isDisconnected: () => isGone });
    storage.hold();
    const first = account.create('customers', PERSON);
    await storage.begun(1);
    const later = [account.create('customers', PERSON), account.delete('customers', ID)];
    isGone = true;
    storage.release();
    // The first was staged: it stays.
    expect(codeOf(await first)).toBe('ok');
    expect((await Promise.all(later)).map(codeOf)).toEqual(['BAD_REQUEST', 'BAD_REQUEST']);
    expect([storage.commits.length, storage.rows.size]).toEqual([1, 1]);
    isGone = false;
    const next = await account.create('customers', PERSON);
    expect(next.ok && JSON.parse(next.value).id).toBe('CUS-0002');
  });
});

describe('Expensive work elsewhere', () => {
  it('delays the later writes of its account, and no other account', async () => {
    const work = new SlowWork();
    const records = new MemoryRecords({ work });
    const [neema, juma] = [records.account('neema'), records.account('juma')];
    await neema.create('customers', PERSON);
    const answered: string[] = [];
    const note = (name: string) => () => answered.push(name);
    const all = [
      neema.update('customers', ID, { a: 1 }).then(note('neema 1')),
      neema.update('customers', ID, { a: 2, b: 1 }).then(note('neema 2')),
      neema.delete('customers', ID).then(note('neema 3')),
      juma.create('customers', PERSON).then(note('juma')),
    ];
    await all[3];
    expect(answered).toEqual(['juma']);
    const settled = records.writer.settled().then(() => answered.length);
    await work.finish();
    await all[0];
    expect(answered).toEqual(['juma', 'neema 1']);
    await work.finish();
    await Promise.all(all);
    expect(answered).toEqual(['juma', 'neema 1', 'neema 2', 'neema 3']);
    expect(await settled).toBe(4);
  });

  it('on a state that was then not stored is repeated', async () => {
    const work = new SlowWork();
    const storage = new MapStorage();
    const records = new MemoryRecords({ work, storage });
    const account = records.account('neema');
    await account.create('customers', PERSON);
    const first = account.update('customers', ID, { a: 1 });
    const second = account.update('customers', ID, { b: 1 });
    storage.outcomes.push({ status: 'notStored', error: new Error('injected') });
    await work.finish();
    // The second is prepared on the first one's change, whose commit fails.
    await work.finish();
    await work.finish();
    expect(codeOf(await first)).toBe('STORAGE_FAILED');
    expect(codeOf(await second)).toBe('ok');
    const read = account.read('customers', ID);
    const owned = { id: ID, owner_sub: 'neema' };
    expect(read.ok && JSON.parse(read.value)).toEqual({ ...owned, ...PERSON, b: 1 });
  });

  const lost = new Error('the thread has ended');
  it.each([
    ['rejects', async () => Promise.reject(lost)],
    [
      'throws',
      () => {
        throw lost;
      },
    ],
  ])('that %s fails only its own write', async (_how, patchedRecord) => {
    const records = new MemoryRecords({ work: { ...workInPlace, patchedRecord } });
    const account = records.account('neema');
    await account.create('customers', PERSON);
    const updating = account.update('customers', ID, { a: 1 });
    const creating = account.create('customers', PERSON);
    await expect(updating).rejects.toBe(lost);
    expect(codeOf(await creating)).toBe('ok');
    await records.writer.settled();
  });
});
