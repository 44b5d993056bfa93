// Changes to large records: their steps take an event-loop turn each, so that nobody
// waits for all of them, and still none is lost.

import { beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../src/log.js';
import { MemoryAccount } from '../../src/records/memory-account.js';
import { RecordSet } from '../../src/records/record-set.js';
import { SearchBlocks } from '../../src/records/search-blocks.js';
import { Turns } from '../../src/records/turns.js';
import { Writer } from '../../src/records/writer.js';
import { MapJournal, turn } from './map-journal.js';

const SMALL = { name: 'Neema', phone: '1' };
const MANY = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`p${i}`, i]));
const LARGE = { ...SMALL, note: 'x'.repeat(1_000_000) };

let pauses: number;
let account: MemoryAccount;

beforeEach(() => {
  pauses = 0;
  const turns = new Turns(() => {
    pauses++;
    return turn();
  });
  const set = new RecordSet();
  const journal = new MapJournal();
  const clock = Date.now;
  const writer = new Writer({ set, journal, log: silentLog, clock, onStorageLost() {} });
  const context = { set, writer, searchBlocks: new SearchBlocks(), turns, clock };
  account = new MemoryAccount(context, 'neema');
});

function times<T>(count: number, write: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, write));
}

it('does not pause for small records', async () => {
  await times(200, () => account.create('customers', SMALL));
  const created = await account.create('customers', SMALL);
  const { id } = JSON.parse(created.ok ? created.value : '{}');
  await times(200, () => account.update('customers', id, { visits: 1 }));
  expect(pauses).toBe(0);
});

it.each([
  ['made', { name: 'Zuhura' }, true, 2],
  ['refused', { name: '' }, false, 1],
])(
  'pauses between the steps of each change to a large record that is %s',
  async (_, change, isMade, steps) => {
    const created = await account.create('customers', LARGE);
    const { id } = JSON.parse(created.ok ? created.value : '{}');
    const outcomes = await times(4, () => account.update('customers', id, change));
    expect(outcomes.map(({ ok }) => ok)).toEqual(Array(4).fill(isMade));
    expect(pauses).toBe(4 * steps);
  },
);

it('pauses where a body has very many properties', async () => {
  const { id } = await times(1, () => account.create('customers', SMALL)).then(([created]) =>
    JSON.parse(created?.ok ? created.value : '{}'),
  );
  await account.update('customers', id, MANY);
  expect(pauses).toBe(2);
  await account.create('customers', { ...SMALL, ...MANY });
  expect(pauses).toBe(4);
});

it('loses no change to a large record, and none to others, while they wait for each other', async () => {
  const created = await account.create('customers', LARGE);
  const { id } = JSON.parse(created.ok ? created.value : '{}');
  const updates = Array.from({ length: 20 }, (_, i) =>
    account.update('customers', id, { [`visit-${i}`]: i }),
  );
  const creates = Array.from({ length: 20 }, (_, i) =>
    account.create('customers', i % 4 === 0 ? { ...SMALL, ...MANY } : SMALL),
  );
  await Promise.all([...updates, ...creates]);
  const read = await account.read('customers', id);
  const record = JSON.parse(read.ok ? read.value : '{}');
  expect(Array.from({ length: 20 }, (_, i) => record[`visit-${i}`])).toEqual([...Array(20).keys()]);
  const query = { q: '', status: '', page: 1, pageSize: 100 };
  const { items } = await account.list('customers', query);
  expect(new Set(items.map((item) => JSON.parse(item).id)).size).toBe(21);
  for (const item of items)
    expect((await account.delete('customers', JSON.parse(item).id)).ok).toBe(true);
});
