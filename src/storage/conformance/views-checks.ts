// The promises of the port `StoredViews`, which a storage keeps that answers the
// operator's questions itself, as checks.

import type { RecordStorage, StoredViews } from '../../core/records/record-storage.js';
import { type Check, checksOf, expectSame, type Steps, type StorageHome } from './check.js';
import { commits, event, row, rows } from './sample-changes.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = 1_700_000_000_000;

type Viewed = RecordStorage & StoredViews;

/** `make` makes a new, empty place for each check. */
export function storedViewsChecks(make: () => Promise<StorageHome<Viewed>>): Check[] {
  return checksOf(make, STEPS);
}

const STEPS: Steps<Viewed> = {
  'counts rows, bytes and times by collection; an update keeps the time of creation': async (
    bench,
  ) => {
    const { storage } = bench;
    const order = { ...row(3, '{"id":"ORD-0001","note":"é😀"}'), id: 'ORD-0001' };
    const puts = [{ ...order, collection: 'orders' as const }];
    await commits(storage, { puts: [row(1)], at: START });
    await commits(storage, { puts: [row(2)], at: START + DAY_MS });
    await commits(storage, { puts, events: [event('first')], at: START + DAY_MS });
    await commits(storage, { puts: [row(1, '{}')], at: START + 2 * DAY_MS });
    const usage = async (opened: Viewed) => {
      const found = await opened.usage([START, START - 1, START + DAY_MS]);
      const byName = Object.fromEntries(found.collections.map((each) => [each.collection, each]));
      return { ...found, collections: byName };
    };
    const customers = {
      collection: 'customers',
      records: 2,
      payloadBytes: bytesOf(row(2).body) + 2,
      createdAfter: [1, 2, 0],
      lastUpdatedAt: START + 2 * DAY_MS,
    };
    const orders = {
      collection: 'orders',
      records: 1,
      payloadBytes: bytesOf(order.body),
      createdAfter: [1, 1, 0],
      lastUpdatedAt: START + DAY_MS,
    };
    const wanted = { collections: { customers, orders }, auditEventCount: 1 };
    await bench.alwaysSame('usage', usage, wanted);
  },

  'counts every row of many, and none if there are none': async ({ storage }) => {
    const none = { collections: [], auditEventCount: 0 };
    expectSame('usage of nothing', await storage.usage([0, 0, 0]), none);
    await commits(storage, { puts: rows(60_000), at: 5 });
    const [usage] = (await storage.usage([0, 4, 5])).collections;
    expectSame('records', usage?.records, 60_000);
    expectSame('created after 0, 4 and 5', usage?.createdAfter, [60_000, 60_000, 0]);
  },

  'answers a ping while open, and refuses it once closed': async (bench) => {
    const ping = () =>
      bench.storage.ping().then(
        () => 'answered',
        () => 'refused',
      );
    expectSame('a ping', await ping(), 'answered');
    await bench.close();
    expectSame('a ping of a closed storage', await ping(), 'refused');
  },
};

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
