// Lists in memory: what a page costs, and that a long search neither delays others nor mixes two
// states of the records.

import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import { formatId } from '../../src/core/domain/identifier.js';
import { RecordList } from '../../src/core/records/record-list.js';
import { RecordSet } from '../../src/core/records/record-set.js';
import type { StoredRow } from '../../src/core/records/record-storage.js';
import { MemoryRecords, textOfRows } from './memory-records.js';

const OWNER = 'neema';
const PAGE = { q: '', status: '', page: 1, pageSize: 20 };

function filled(count: number, collection: CollectionName = 'customers'): RecordSet {
  const set = new RecordSet();
  const rows = Array.from({ length: count }, (_, i): StoredRow => {
    const id = formatId(collection, i + 1);
    const body = JSON.stringify({ id, owner_sub: OWNER, amount: 10, name: 'Neema', phone: '1' });
    return { position: i + 1, collection, id, body };
  });
  set.load(rows);
  return set;
}

/** An account over these rows, and its turns. Reading the clock takes a tenth of a slice. */
function open(set: RecordSet) {
  let now = 0;
  const scheduler = new FairScheduler({ pause: turn, stopwatch: () => (now += 0.2) });
  const next = vi.spyOn(scheduler, 'yield');
  return { next, account: new MemoryRecords({ set, scheduler }).account(OWNER) };
}

it('A page reads only its own records of a list of any length', async () => {
  const { account } = open(filled(100_000));
  const taken = vi.spyOn(RecordList.prototype, 'page');
  const { items, total } = await account.list('customers', { ...PAGE, page: 3 });
  const touched = taken.mock.results.flatMap(({ value }) => value);
  expect([total, items.length, touched.length]).toEqual([100_000, 20, 20]);
  expect(JSON.parse(items[0] ?? '').id).toBe('CUS-99960');
});

describe('A long scan', () => {
  const COUNT = 60_000;
  const search = { ...PAGE, q: 'NEEMA' };

  it('takes turns with other accounts; a short scan and a plain page do not', async () => {
    const few = open(filled(100));
    const { account: long, next } = open(filled(COUNT));
    expect((await few.account.list('customers', search)).total).toBe(100);
    expect((await long.list('customers', PAGE)).total).toBe(COUNT);
    expect([few.next, next].flatMap(({ mock }) => mock.calls)).toEqual([]);
    expect((await long.list('customers', search)).total).toBe(COUNT);
    expect(next.mock.calls.length).toBeGreaterThanOrEqual(4);
    next.mockClear();
    expect((await long.list('customers', { ...PAGE, status: 'New' })).total).toBe(COUNT);
    expect(next.mock.calls.length).toBeGreaterThanOrEqual(4);
    expect(new Set(next.mock.calls.map(([account]) => account))).toEqual(new Set([OWNER]));
  });

  it('takes turns in the payments view, too, which is computed as it is read', async () => {
    const { account, next } = open(filled(10_000, 'orders'));
    const { items, total } = await account.records.payments();
    expect(next).not.toHaveBeenCalled();
    expect(JSON.parse(`[${await textOfRows(items)}]`)).toHaveLength(total);
    expect(next.mock.calls.length).toBeGreaterThanOrEqual(4);
  });

  it('takes turns within one long record', async () => {
    const set = new RecordSet();
    const body = JSON.stringify({ id: 'CUS-1', owner_sub: OWNER, note: 'σ'.repeat(2_000_000) });
    set.load([{ position: 1, collection: 'customers', id: 'CUS-1', body }]);
    const { account, next } = open(set);
    const q = `${'σ'.repeat(1_000)}x`;
    expect((await account.list('customers', { ...PAGE, q })).total).toBe(0);
    expect(next.mock.calls.length).toBeGreaterThanOrEqual(4);
  });

  it('is a consistent snapshot despite changes during its pauses', async () => {
    const { account, next } = open(filled(COUNT));
    let waits = 0;
    next.mockImplementation(async () => {
      waits++;
      // Newest first: these are before the scan's position, and after it.
      await Promise.all([
        account.delete('customers', formatId('customers', COUNT - waits)),
        account.delete('customers', formatId('customers', waits)),
        account.create('customers', { name: 'Neema', phone: '2' }),
        account.update('customers', formatId('customers', waits + 10_000), { name: 'renamed' }),
      ]);
    });
    const query = { ...PAGE, q: '"name":"neema"', page: COUNT / 20 };
    const { items, total } = await account.list('customers', query);
    expect(waits).toBeGreaterThanOrEqual(4);
    expect(total).toBe(COUNT);
    expect((items as readonly string[]).map((item) => JSON.parse(item).id)).toEqual(
      Array.from({ length: 20 }, (_, i) => formatId('customers', 20 - i)),
    );
    const after = await account.list('customers', PAGE);
    expect(after.total).toBe(COUNT - waits);
    expect(JSON.parse(after.items[0] ?? '').phone).toBe('2');
  });
});
