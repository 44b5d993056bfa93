// Cached texts never change what a search finds: the results equal a plain filter's after any
// changes. The cache is bounded, and a change invalidates only its own block.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filteredPage } from '../../src/core/records/memory-account.js';
import type { MemoryRecord } from '../../src/core/records/record-list.js';
import { RecordSet } from '../../src/core/records/record-set.js';
import { SearchBlocks } from '../../src/core/records/search-blocks.js';

const OWNER = 'neema';
const NOTHING = { q: 'nothing like it', status: '', page: 1, pageSize: 7 };
const KEY = { id: '', owner: OWNER, collection: 'customers', byteDelta: 0 } as const;

/** An account's customers, changed without a storage, and searched. */
class Customers {
  readonly set = new RecordSet();
  readonly blocks: SearchBlocks;

  constructor(names: readonly string[], blocks = new SearchBlocks()) {
    this.blocks = blocks;
    for (const name of names) this.add(name);
  }

  get list(): readonly MemoryRecord[] {
    return this.set.snapshot(OWNER, 'customers').flat();
  }

  add(name: string): void {
    const { position } = this.set.next('customers');
    this.set.apply({ ...KEY, before: undefined, after: recordOf(position, name) });
  }

  replace(at: number, name: string): void {
    const before = this.#at(at);
    if (before) this.set.apply({ ...KEY, before, after: recordOf(before.position, name) });
  }

  remove(at: number): void {
    const before = this.#at(at);
    if (before !== undefined) this.set.apply({ ...KEY, before, after: undefined });
  }

  async expectPlain(q: string, status = '', page = 1): Promise<void> {
    const matching = this.list
      .filter((record) => folded(record.text).includes(folded(q)))
      .filter((record) => status === '' || [undefined, status].includes(record.status ?? undefined))
      .map((record) => record.text)
      .reverse();
    const records = this.set.snapshot(OWNER, 'customers');
    const query = { q, status, page, pageSize: 7 };
    const found = await filteredPage(records, this.blocks, () => undefined, query);
    const items = matching.slice((page - 1) * 7, page * 7);
    expect([q, found.items, found.total]).toEqual([q, items, matching.length]);
  }

  /** How many records a search lower-cases. */
  async foldings(): Promise<number> {
    const before = this.blocks.foldedRecords;
    const records = this.set.snapshot(OWNER, 'customers');
    await filteredPage(records, this.blocks, () => undefined, NOTHING);
    return this.blocks.foldedRecords - before;
  }

  #at(index: number): MemoryRecord | undefined {
    return this.list[index % Math.max(this.list.length, 1)];
  }
}

function recordOf(position: number, name: string): MemoryRecord {
  const status = position % 3 > 0 ? `S${position % 3}` : undefined;
  const text = JSON.stringify({ id: `CUS-${position}`, name, status });
  return { position, key: position, text, status };
}

const folded = (text: string) => text.toLowerCase().replaceAll('ς', 'σ');

const names = (count: number, characters = 5) =>
  Array.from({ length: count }, (_, i) => `${i}`.padStart(characters, 'N'));

describe('A search after any changes', () => {
  const unit = fc.constantFrom('a', 'B', 'Σ', 'ς', 'İ', '.', '*', '"', '\0');
  const name = fc.oneof(
    fc.string({ unit, maxLength: 9 }),
    fc.nat(300).map((n) => `${'ab'.repeat(n)}c`),
    fc.constant('x'.repeat(300_000)),
  );
  const place = fc.nat(700);
  /** A piece of the list's concatenated texts: within a record, or across a boundary. */
  const length = fc.integer({ min: 1, max: 400 });
  const piece = fc.record({ at: place, from: fc.nat(40), length });
  const command = fc.oneof(
    fc.record({ do: fc.constant('add' as const), name }),
    fc.record({ do: fc.constant('replace' as const), at: place, name }),
    fc.record({ do: fc.constant('remove' as const), at: place }),
    fc.record({
      do: fc.constant('search' as const),
      q: fc.oneof(
        name.filter((q) => q !== ''),
        fc.constantFrom('.*', 'σ', 'Σ"', '\0', '}\0{', '}{', '}', 'c"', 'cus-1', '"n'),
        fc.tuple(piece, fc.constantFrom('', '\0')),
      ),
      status: fc.constantFrom('', 'S1'),
      page: fc.integer({ min: 1, max: 3 }),
    }),
  );

  it.each([100, 5_000, 32_000_000])(
    'finds what a filter finds, caching %i characters',
    async (kept) => {
      await fc.assert(
        fc.asyncProperty(fc.nat(400), fc.array(command, { maxLength: 25 }), async (n, run) => {
          const customers = new Customers(names(n), new SearchBlocks(kept));
          for (const step of run) {
            if (step.do === 'add') customers.add(step.name);
            else if (step.do === 'replace') customers.replace(step.at, step.name);
            else if (step.do === 'remove') customers.remove(step.at);
            else await customers.expectPlain(needle(customers, step.q), step.status, step.page);
            expect(customers.blocks.characters).toBeLessThanOrEqual(kept);
          }
          await customers.expectPlain('n');
        }),
        { numRuns: 60 },
      );
    },
  );

  function needle(
    { list }: Customers,
    q: string | [{ at: number; from: number; length: number }, string],
  ): string {
    if (typeof q === 'string') return q;
    const [{ at, from, length }, border] = q;
    const first = at % Math.max(list.length, 1);
    const joined = list.slice(first, first + 3).map((record) => record.text);
    return joined.join(border).slice(from, from + length) || 'none';
  }
});

describe('The cached texts', () => {
  it('are empty before the first search, and have the searched texts after it', async () => {
    const customers = new Customers(names(1_000));
    expect(customers.blocks.characters).toBe(0);
    expect(await customers.foldings()).toBe(1_000);
    const characters = customers.list.reduce((sum, { text }) => sum + text.length + 1, 0);
    expect(characters - customers.blocks.characters).toBe(Math.ceil(1_000 / 128));
    expect(await customers.foldings()).toBe(0);
  });

  it.each([
    ['replaced', (customers: Customers) => customers.replace(130, 'Juma'), 128],
    ['added', (customers: Customers) => customers.add('Juma'), 1_000 - 7 * 128 + 1],
    ['removed at the end', (customers: Customers) => customers.remove(999), 1_000 - 7 * 128 - 1],
    ['removed further up', (customers: Customers) => customers.remove(640), 127],
  ])(
    'are rebuilt for a block in which a record is %s, and for no other',
    async (_title, change, expected) => {
      const customers = new Customers(names(1_000));
      await customers.foldings();
      change(customers);
      expect(await customers.foldings()).toBe(expected);
      expect(await customers.foldings()).toBe(0);
    },
  );

  it('are evicted for lists that are searched later', async () => {
    const one = new Customers(names(1_024));
    await one.foldings();
    const blocks = new SearchBlocks(one.blocks.characters * 2);
    const counts: number[] = [];
    const lists = [0, 1, 2].map(() => new Customers(names(1_024), blocks));
    for (const i of [0, 1, 0, 1, 0, 2, 0, 2, 1]) counts.push((await lists[i]?.foldings()) ?? -1);
    expect(counts).toEqual([1_024, 1_024, 0, 0, 0, 1_024, 0, 0, 1_024]);
  });

  it('are the newest part of a list that exceeds the budget', async () => {
    const customers = new Customers(names(1_000, 100), new SearchBlocks(50_000));
    expect(await customers.foldings()).toBe(1_000);
    expect(await customers.foldings()).toBeLessThan(800);
    expect(customers.blocks.characters).toBeGreaterThan(30_000);
    expect(customers.blocks.characters).toBeLessThanOrEqual(50_000);
  });

  it('omit records that would make a block too large', async () => {
    const customers = new Customers(names(192));
    customers.replace(0, 'x'.repeat(200_000));
    expect([await customers.foldings(), await customers.foldings()]).toEqual([192, 128]);
  });
});
