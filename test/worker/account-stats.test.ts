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

/** Bodies by row; undefined removes it. */
type Bodies = Readonly<Record<number, string | undefined>>;

it('The stats equal a new count of every row after each commit', async () => {
  const body = fc.constantFrom('a', 'éé', 'long'.repeat(9), undefined);
  const commit = fc.record({
    bodies: fc.dictionary(fc.constantFrom('0', '1', '2', '3', '4'), body, { minKeys: 1 }),
    hoursAgo: fc.constantFrom(0, 1, 24, 720, 721, 722, 800),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 8 }), async (commits) => {
      const storage = openObjectStorage();
      const stats = new AccountStats(storage.sql);
      const follower = { create() {}, stage() {}, committed: stats.follow.bind(stats) };
      const recordStorage = new ObjectRecordStorage({ storage, epoch: 'first', follower });
      for (const { bodies, hoursAgo } of commits) {
        const change = { ...changesOf(bodies), at: NOW - hoursAgo * HOUR_MS };
        expect((await recordStorage.commit(change)).status).toBe('committed');
        const { created } = stats.holdings(NOW).customers;
        const fresh = new AccountStats(storage.sql);
        fresh.load(NOW);
        expect(stats.holdings(NOW)).toEqual(fresh.holdings(NOW));
        // Older hours are in no window of the usage view.
        const oldest = Math.min(...Object.keys(created).map(Number), NOW / HOUR_MS);
        expect(oldest).toBeGreaterThanOrEqual(Math.floor(NOW / HOUR_MS) - 721);
      }
    }),
  );
});

function changesOf(bodies: Bodies) {
  const rows = Object.entries(bodies).map(([at, body]) => ({ at: Number(at), body }));
  return {
    ...{ sequences: {}, events: [] },
    puts: rows.flatMap(({ at, body }) => {
      const collection = COLLECTIONS[at] ?? 'team';
      const row = {
        position: at + 1,
        collection,
        id: `R-${at}`,
        owner: 'neema',
        status: undefined,
      };
      return body === undefined ? [] : [{ ...row, body }];
    }),
    removals: rows.filter(({ body }) => body === undefined).map(({ at }) => at + 1),
  };
}
