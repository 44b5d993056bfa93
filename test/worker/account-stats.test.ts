// The numbers and sizes of an account's rows: after any commits the same as if every
// row were counted again.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import type { PutRow } from '../../src/core/records/record-storage.js';
import { AccountStats } from '../../src/hosts/workers/account-stats.js';
import { ObjectRecordStorage } from '../../src/storage/object/object-record-storage.js';
import { row } from '../storage/storage-conformance.js';
import { openObjectStorage } from '../support/object-storage.js';

const HOUR_MS = 3_600_000;
const NOW = 500_000 * HOUR_MS + 1_234;
/** A row of another release's collection is in no number. */
const COLLECTIONS = ['customers', 'orders', 'customers', 'orders', 'invoices'] as CollectionName[];
const FACTS = { owner: 'neema', status: undefined };

it('The stats equal a new count of every row after each commit', async () => {
  const body = fc.constantFrom('a', 'éé', 'long'.repeat(9), undefined);
  const commit = fc.record({
    // By row; undefined removes it.
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
        const puts: PutRow[] = [];
        const removals: number[] = [];
        for (const [at, text] of Object.entries(bodies)) {
          const collection = COLLECTIONS[Number(at)] ?? 'team';
          if (text === undefined) removals.push(Number(at) + 1);
          else puts.push({ ...row(Number(at) + 1, text), collection, ...FACTS });
        }
        const at = NOW - hoursAgo * HOUR_MS;
        const change = { puts, removals, sequences: {}, events: [], at };
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
