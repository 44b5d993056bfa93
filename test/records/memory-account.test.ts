// Lists in memory: what a page costs, and that a long search neither keeps
// others waiting nor mixes two states of the records.

import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES, type CollectionName } from '../../src/domain/collection-name.js';
import { silentLog } from '../../src/log.js';
import { MemoryAccount } from '../../src/records/memory-account.js';
import { type MemoryRecord, RecordSet } from '../../src/records/record-set.js';
import { SearchBlocks } from '../../src/records/search-blocks.js';
import { type Pause, Turns } from '../../src/records/turns.js';
import { Writer } from '../../src/records/writer.js';
import { MapJournal, turn } from './map-journal.js';

const OWNER = 'neema';
const PAGE = { q: '', status: '', page: 1, pageSize: 20 };

/** Counts how often a record is taken out of a list. */
class CountingSet extends RecordSet {
  touched = 0;

  override records(owner: string, collection: CollectionName): readonly MemoryRecord[] {
    return new Proxy(super.records(owner, collection), {
      get: (list, property, receiver) => {
        if (typeof property === 'string' && /^\d+$/.test(property)) this.touched++;
        return Reflect.get(list, property, receiver);
      },
    });
  }
}

function fill(set: RecordSet, count: number, collection: CollectionName = 'customers'): void {
  for (let position = 1; position <= count; position++) {
    const id = `${collection === 'orders' ? 'ORD' : 'CUS'}-${position}`;
    const body = JSON.stringify({ id, owner_sub: OWNER, amount: 10, name: 'Neema', phone: '1' });
    set.load({ position, collection, id, body });
  }
}

function accountOf(set: RecordSet, pause: Pause = turn): MemoryAccount {
  const writer = new Writer({
    set,
    journal: new MapJournal(),
    log: silentLog,
    clock: Date.now,
    onStorageLost() {},
  });
  return new MemoryAccount(
    { set, writer, searchBlocks: new SearchBlocks(), turns: new Turns(pause), clock: Date.now },
    OWNER,
  );
}

describe('A page without a filter', () => {
  it.each([1, 3])('touches its own records alone, of 100 as of 100,000 (page %i)', async (page) => {
    const touched = [];
    for (const count of [100, 100_000]) {
      const set = new CountingSet();
      fill(set, count);
      const { items, total } = await accountOf(set).list('customers', { ...PAGE, page });
      expect(total).toBe(count);
      expect(JSON.parse(items[0] ?? '').id).toBe(`CUS-${count - (page - 1) * 20}`);
      expect(items).toHaveLength(20);
      touched.push(set.touched);
    }
    expect(touched).toEqual([20, 20]);
  });

  it('touches nothing beyond the end', async () => {
    const set = new CountingSet();
    fill(set, 100);
    const { items, total } = await accountOf(set).list('customers', { ...PAGE, page: 2 ** 50 });
    expect([items, total, set.touched]).toEqual([[], 100, 0]);
  });

  it("never looks at another account's records", async () => {
    const set = new CountingSet();
    fill(set, 100);
    const other = new MemoryAccount(
      {
        set,
        writer: new Writer({
          set,
          journal: new MapJournal(),
          log: silentLog,
          clock: Date.now,
          onStorageLost() {},
        }),
        searchBlocks: new SearchBlocks(),
        turns: new Turns(turn),
        clock: Date.now,
      },
      'juma',
    );
    for (const name of COLLECTION_NAMES) {
      for (const q of ['', 'neema']) {
        expect(await other.list(name, { ...PAGE, q })).toEqual({ items: [], total: 0 });
      }
    }
    expect(await other.payments()).toEqual({ items: [], total: 0 });
    expect(set.touched).toBe(0);
  });
});

describe('A long scan', () => {
  const COUNT = 60_000;

  it('lets the host serve others in between; a short one has no need to', async () => {
    const pauses = { long: 0, short: 0, paged: 0 };
    const counting = (name: keyof typeof pauses): Pause => {
      return () => {
        pauses[name]++;
        return turn();
      };
    };
    const many = new RecordSet();
    fill(many, COUNT);
    const few = new RecordSet();
    fill(few, 1_000);
    const search = { ...PAGE, q: 'NEEMA' };
    expect((await accountOf(many, counting('long')).list('customers', search)).total).toBe(COUNT);
    expect((await accountOf(few, counting('short')).list('customers', search)).total).toBe(1_000);
    await accountOf(many, counting('paged')).list('customers', PAGE);
    expect(pauses.long).toBeGreaterThanOrEqual(4);
    expect(pauses).toMatchObject({ short: 0, paged: 0 });
  });

  it('pauses in the payments view too', async () => {
    let pauses = 0;
    const set = new RecordSet();
    fill(set, 10_000, 'orders');
    const account = accountOf(set, () => {
      pauses++;
      return turn();
    });
    expect((await account.payments()).items).toHaveLength(10_000);
    expect(pauses).toBeGreaterThanOrEqual(2);
  });

  it('shares one slice a turn with every other scan', async () => {
    let waiting = 0;
    let most = 0;
    const set = new RecordSet();
    fill(set, COUNT);
    const account = accountOf(set, async () => {
      most = Math.max(most, ++waiting);
      await turn();
      waiting--;
    });
    await Promise.all([1, 2, 3].map(() => account.list('customers', { ...PAGE, q: 'neema' })));
    expect(most).toBe(1);
  });

  it('answers for one moment, whatever changes during its pauses', async () => {
    const set = new RecordSet();
    fill(set, COUNT);
    let pauses = 0;
    const changed: Promise<unknown>[] = [];
    const account: MemoryAccount = accountOf(set, async () => {
      pauses++;
      // Newest first: what is deleted and created here lies before the scan's place, and after it.
      for (const id of [`CUS-${COUNT - pauses}`, `CUS-${pauses}`]) {
        changed.push(account.delete('customers', id));
      }
      changed.push(account.create('customers', { name: 'Neema', phone: '2' }));
      changed.push(account.update('customers', `CUS-${pauses + 100}`, { name: 'renamed' }));
      await Promise.all(changed);
    });
    const query = { ...PAGE, q: '"name":"neema"', page: COUNT / 20 };
    const { items, total } = await account.list('customers', query);
    expect(pauses).toBeGreaterThanOrEqual(4);
    expect(total).toBe(COUNT);
    expect(items.map((item) => JSON.parse(item).id)).toEqual(
      Array.from({ length: 20 }, (_, i) => `CUS-${20 - i}`),
    );
    const after = await account.list('customers', PAGE);
    expect(after.total).toBe(set.records(OWNER, 'customers').length);
    expect(JSON.parse(after.items[0] ?? '').phone).toBe('2');
  });
});
