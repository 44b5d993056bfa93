// Changes to records of very many properties: they stop for an event-loop turn now and
// then, so that nobody waits for all of them, and still none is lost.

import { beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../src/log.js';
import { MemoryAccount } from '../../src/records/memory-account.js';
import { RecordSet } from '../../src/records/record-set.js';
import { SearchBlocks } from '../../src/records/search-blocks.js';
import { Turns } from '../../src/records/turns.js';
import { Writer } from '../../src/records/writer.js';
import { MapJournal, turn } from './map-journal.js';

const SMALL = { name: 'Neema', phone: '1' };
const MANY = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, i]));
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

async function createMany(): Promise<string> {
  const created = await account.create('customers', { ...SMALL, ...MANY });
  return JSON.parse(created.ok ? created.value : '{}').id;
}

function times<T>(count: number, write: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, write));
}

it('does not pause for small records, nor for one long text', async () => {
  await times(200, () => account.create('customers', SMALL));
  const created = await account.create('customers', LARGE);
  const { id } = JSON.parse(created.ok ? created.value : '{}');
  await times(200, () => account.update('customers', id, { visits: 1 }));
  expect(pauses).toBe(0);
});

it.each([
  ['made', { name: 'Zuhura' }, true],
  ['refused', { name: '' }, false],
])(
  'pauses within each change to a record of very many properties that is %s',
  async (_, change, isMade) => {
    const id = await createMany();
    const outcomes = await times(4, () => account.update('customers', id, change));
    expect(outcomes.map(({ ok }) => ok)).toEqual(Array(4).fill(isMade));
    expect(pauses).toBe(4);
  },
);

it('loses no change to such a record, and none to others, while they wait for each other', async () => {
  const id = await createMany();
  const updates = Array.from({ length: 20 }, (_, i) =>
    account.update('customers', id, { [`visit-${i}`]: i }),
  );
  const creates = Array.from({ length: 20 }, () => account.create('customers', SMALL));
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
