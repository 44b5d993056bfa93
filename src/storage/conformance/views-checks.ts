// The promises of the port `StoredViews`, which a journal keeps that answers the
// operator's questions itself, as checks.

import type { Journal, StoredViews } from '../../core/records/journal.js';
import { type Check, checksOf, type JournalHome, type Step } from './check.js';
import { expectRejection, expectSame } from './expectations.js';
import { changes, event, row, rows } from './sample-changes.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = 1_700_000_000_000;

type Viewed = Journal & StoredViews;

/** `make` makes a new, empty place for each check. */
export function storedViewsChecks(make: () => Promise<JournalHome<Viewed>>): Check[] {
  return checksOf(make, STEPS);
}

const STEPS: Readonly<Record<string, Step<Viewed>>> = {
  'counts rows, bytes and times by collection, an update keeping the time of creation': async (
    bench,
  ) => {
    const { journal } = bench;
    const order = { ...row(3, '{"id":"ORD-0001","note":"é😀"}'), id: 'ORD-0001' };
    await journal.commit(changes({ puts: [row(1)], at: START }));
    await journal.commit(changes({ puts: [row(2)], at: START + DAY_MS }));
    await journal.commit(
      changes({
        puts: [{ ...order, collection: 'orders' }],
        events: [event('first')],
        at: START + DAY_MS,
      }),
    );
    await journal.commit(changes({ puts: [row(1, '{}')], at: START + 2 * DAY_MS }));
    await bench.nowAndAfterReopening(async () => {
      const times = [START, START - 1, START + DAY_MS] as const;
      const { collections, auditEventCount } = await bench.journal.usage(times);
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

  'counts every row of many, and none where there is none': async ({ journal }) => {
    const none = { collections: [], auditEventCount: 0 };
    expectSame('usage of nothing', await journal.usage([0, 0, 0]), none);
    await journal.commit(changes({ puts: rows(60_000), at: 5 }));
    const [usage] = (await journal.usage([0, 4, 5])).collections;
    expectSame('records', usage?.records, 60_000);
    expectSame('created after 0, 4 and 5', usage?.createdAfter, [60_000, 60_000, 0]);
  },

  'answers a ping while open, and refuses it once closed': async (bench) => {
    const { journal } = bench;
    await journal.ping();
    await bench.close();
    await expectRejection('a ping of a closed journal', journal.ping());
  },
};

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
