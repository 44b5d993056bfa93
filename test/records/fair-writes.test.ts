// The writer's fairness: accounts take turns, and nothing is done for a disconnected client.

import { describe, expect, it } from 'vitest';
import { MapStorage } from './map-storage.js';
import { codeOf, MemoryRecords } from './memory-records.js';

const PERSON = { name: 'Neema', phone: '1' };
const ID = 'CUS-0001';

describe('A waiting write', () => {
  it('waits for one write of each other account, and for those that its account sent before it', async () => {
    const records = new MemoryRecords();
    const [flood, shop] = [records.account('flood'), records.account('shop')];
    const answered: string[] = [];
    const note = (name: string) => () => void answered.push(name);
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    // Each fills a group.
    const body = { ...PERSON, note: 'x'.repeat(70_000) };
    const sent = numbers.map((n) => flood.create('team', { ...body, n }).then(note('flood')));
    await shop.create('customers', body).then(note('shop'));
    expect(answered).toEqual(['flood', 'shop']);
    await Promise.all(sent);
    const page = await flood.list('team', { q: '', status: '', page: 1, pageSize: 100 });
    expect(page.items.map((item) => JSON.parse(item).n)).toEqual(numbers.toReversed());
  });

  it('with a large record waits behind the small ones of other accounts, and gets a share of each group', async () => {
    const records = new MemoryRecords();
    const large = { ...PERSON, note: 'x'.repeat(70_000) };
    const answered: string[] = [];
    const create = (name: string, body: object) =>
      records
        .account(name)
        .create('customers', body)
        .then(() => void answered.push(name));
    await Promise.all([
      ...['large 1', 'large 2', 'large 3'].map((name) => create(name, large)),
      ...Array.from({ length: 300 }, (_, i) => create(`small ${i}`, PERSON)),
    ]);
    // 256 writes fill a group: small ones, and a large one after them.
    expect(answered.indexOf('large 1')).toBe(256);
    expect(answered.indexOf('large 2')).toBe(301);
    expect(answered.indexOf('large 3')).toBe(302);
  });

  it('is dropped if its client disconnects before its turn', async () => {
    const storage = new MapStorage();
    const records = new MemoryRecords({ storage });
    let isDisconnected = false;
    const account = records.account('shop', { isDisconnected: () => isDisconnected });
    storage.hold();
    const first = account.create('customers', PERSON);
    await storage.begun(1);
    const later = [account.create('customers', PERSON), account.delete('customers', ID)];
    isDisconnected = true;
    storage.release();
    // The first was staged, so it stays.
    expect(codeOf(await first)).toBe('ok');
    const closed = { failure: { code: 'BAD_REQUEST' } };
    await Promise.all(later.map((write) => expect(write).rejects.toMatchObject(closed)));
    expect([storage.commits.length, storage.rows.size]).toEqual([1, 1]);
    isDisconnected = false;
    const next = await account.create('customers', PERSON);
    expect(next.ok && JSON.parse(next.value).id).toBe('CUS-0002');
  });
});
