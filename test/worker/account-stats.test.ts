// The numbers and sizes of an account's rows: after any commits the same as if every
// row were counted again.

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
  const stats = new AccountStats(storage.sql);
  const follower = { create() {}, stage() {}, committed: stats.follow.bind(stats) };
  const recordStorage = new ObjectRecordStorage({ storage, epoch: 'first', follower });
  return {
    stats,
    countAgain() {
      const fresh = new AccountStats(storage.sql);
      fresh.load(NOW);
      return fresh.holdings(NOW);
    },
    async commit({ bodies, hoursAgo }: Commit) {
      const rows = Object.entries(bodies).map(([place, body = '']) => {
        const position = Number(place) + 1;
        const collection = COLLECTIONS[Number(place)] ?? 'team';
        return {
          position,
          collection,
          id: `R-${position}`,
          body,
          owner: 'neema',
          status: undefined,
        };
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

it('The stats equal a new count of every row after each commit', async () => {
  const body = fc.constantFrom('a', 'éé', 'long'.repeat(9), undefined);
  const commit = fc.record({
    bodies: fc.dictionary(fc.constantFrom('0', '1', '2', '3', '4'), body, { minKeys: 1 }),
    hoursAgo: fc.constantFrom(0, 1, 24, 720, 721, 722, 800),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 8 }), async (commits) => {
      const { stats, countAgain, commit: make } = openAccountStats();
      for (const each of commits) {
        await make(each);
        const { created } = stats.holdings(NOW).customers;
        expect(stats.holdings(NOW)).toEqual(countAgain());
        // Older hours are in no window of the usage view.
        const oldest = Math.min(...Object.keys(created).map(Number), NOW / HOUR_MS);
        expect(oldest).toBeGreaterThanOrEqual(Math.floor(NOW / HOUR_MS) - 721);
      }
    }),
  );
});
