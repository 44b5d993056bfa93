// The numbers and sizes of an account's rows: after any commits the same as if every
// row were counted anew.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import { AccountStats } from '../../src/hosts/workers/account-stats.js';
import { ObjectRecordStorage } from '../../src/storage/object/object-record-storage.js';
import { openObjectStorage } from '../support/object-storage.js';

const HOUR_MS = 3_600_000;
const NOW = 500_000 * HOUR_MS + 1_234;
/** A row of another release's collection is in no number. */
const COLLECTIONS = ['customers', 'orders', 'customers', 'orders', 'invoices'] as CollectionName[];

interface Commit {
  /** Bodies by row; undefined removes it. */
  readonly bodies: Readonly<Record<number, string | undefined>>;
  readonly hoursAgo: number;
}

function openAccountStats() {
  const storage = openObjectStorage();
  let stats = new AccountStats(storage.sql);
  const recordStorage = new ObjectRecordStorage({
    storage,
    epoch: 'first',
    follower: { create() {}, stage() {}, committed: (effect) => stats.follow(effect) },
  });
  return {
    holdings: (now = NOW) => stats.holdings(now),
    countAnew(now = NOW) {
      stats = new AccountStats(storage.sql);
      stats.load(now);
    },
    async commit({ bodies, hoursAgo }: Commit) {
      const rows = Object.entries(bodies).map(([place, body]) => {
        const position = Number(place) + 1;
        const collection = COLLECTIONS[Number(place)] ?? 'team';
        const columns = { owner: 'neema', status: undefined };
        return { position, collection, id: `R-${position}`, body: body ?? '', ...columns };
      });
      const { status } = await recordStorage.commit({
        puts: rows.filter(({ body }) => body !== ''),
        removals: rows.filter(({ body }) => body === '').map(({ position }) => position),
        sequences: {},
        events: [],
        at: NOW - hoursAgo * HOUR_MS,
      });
      expect(status).toBe('committed');
    },
  };
}

it('The counts of the stats equal a new count of every row', async () => {
  const body = fc.constantFrom('a', 'éé', 'long'.repeat(9), undefined);
  const commit = fc.record({
    bodies: fc.dictionary(fc.constantFrom('0', '1', '2', '3', '4'), body, { minKeys: 1 }),
    hoursAgo: fc.constantFrom(0, 1, 24, 720, 721, 722, 800),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 8 }), async (commits) => {
      const stats = openAccountStats();
      for (const each of commits) {
        await stats.commit(each);
        const followed = stats.holdings();
        stats.countAnew();
        expect(followed).toEqual(stats.holdings());
      }
      const followed = openAccountStats();
      for (const each of commits) await followed.commit(each);
      expect(followed.holdings()).toEqual(stats.holdings());
    }),
  );
});

it('The stats counts records, bytes, the latest update and the creations of the last 721 hours', async () => {
  const stats = openAccountStats();
  await stats.commit({ bodies: { 0: 'éé', 2: 'abc' }, hoursAgo: 722 });
  await stats.commit({ bodies: { 1: 'x', 4: 'unknown' }, hoursAgo: 721 });
  await stats.commit({ bodies: { 2: 'abcd', 3: 'y' }, hoursAgo: 0 });
  const hour = 500_000;
  const expected = {
    customers: { records: 2, payloadBytes: 8, updatedAt: NOW, created: {} },
    orders: {
      records: 2,
      payloadBytes: 2,
      updatedAt: NOW,
      created: { [hour - 721]: 1, [hour]: 1 },
    },
    team: { records: 0, payloadBytes: 0, updatedAt: 0, created: {} },
  };
  expect(stats.holdings()).toMatchObject(expected);
  expect(stats.holdings().customers.created).toEqual({});
  stats.countAnew();
  expect(stats.holdings()).toMatchObject(expected);
  // Kept while the account is in memory, and not shown once they are too old.
  expect(stats.holdings(NOW + HOUR_MS).orders.created).toEqual({ [hour]: 1 });
});
