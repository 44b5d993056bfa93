// The promises of the port `StoredViews`, which a storage keeps that answers the
// operator's questions itself, as checks.

import type { RecordStorage, StoredViews } from '../../core/records/record-storage.js';
import { type Check, checksOf, type Step, type StorageHome } from './check.js';
import { expectRejection, expectSame } from './expectations.js';
import { changes, event, row, rows } from './sample-changes.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = 1_700_000_000_000;

type Viewed = RecordStorage & StoredViews;

/** `make` makes a new, empty place for each check. */
export function storedViewsChecks(make: () => Promise<StorageHome<Viewed>>): Check[] {
  return checksOf(make, STEPS);
}

const STEPS: Readonly<Record<string, Step<Viewed>>> = {
  'counts rows, bytes and times by collection, an update keeping the time of creation': async (
    bench,
  ) => {
    const { storage } = bench;
    const order = { ...row(3, '{"id":"ORD-0001","note":"é😀"}'), id: 'ORD-0001' };
    await storage.commit(changes({ puts: [row(1)], at: START }));
    await storage.commit(changes({ puts: [row(2)], at: START + DAY_MS }));
    await storage.commit(
      changes({
        puts: [{ ...order, collection: 'orders' }],
        events: [event('first')],
        at: START + DAY_MS,
      }),
    );
    await storage.commit(changes({ puts: [row(1, '{}')], at: START + 2 * DAY_MS }));
    await bench.nowAndAfterReopening(async () => {
      const times = [START, START - 1, START + DAY_MS] as const;
      const { collections, auditEventCount } = await bench.storage.usage(times);
      expectSame('number of audit events', auditEventCount, 1);
      const found = [...collections].sort((a, b) => (a.collection < b.collection ? -1 : 1));
      expectSame('usage', found, [
        {
          collection: 'customers',
          records: 2,
          payloadBytes: bytesOf(row(2).body) + 2,
          createdAfter: [1, 2, 0],
          lastUpdatedAt: START + 2 * DAY_MS,
        },
        {
          collection: 'orders',
          records: 1,
          payloadBytes: bytesOf(order.body),
          createdAfter: [1, 1, 0],
          lastUpdatedAt: START + DAY_MS,
        },
      ]);
    });
  },

  'counts every row of many, and none where there is none': async ({ storage }) => {
    const none = { collections: [], auditEventCount: 0 };
    expectSame('usage of nothing', await storage.usage([0, 0, 0]), none);
    await storage.commit(changes({ puts: rows(60_000), at: 5 }));
    const [usage] = (await storage.usage([0, 4, 5])).collections;
    expectSame('records', usage?.records, 60_000);
    expectSame('created after 0, 4 and 5', usage?.createdAfter, [60_000, 60_000, 0]);
  },

  'answers a ping while open, and refuses it once closed': async (bench) => {
    const { storage } = bench;
    await storage.ping();
    await bench.close();
    await expectRejection('a ping of a closed storage', storage.ping());
  },
};

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
