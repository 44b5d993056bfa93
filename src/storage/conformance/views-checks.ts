// The promises of the port `StoredViews`, as checks.

import { utf8Length } from '../../core/records/utf8-length.js';
import { type CheckedStorage, expectSame, type Steps } from './check.js';
import { commits, event, row } from './sample-changes.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = 1_700_000_000_000;

export const VIEWS: Steps = {
  'counts rows, bytes and times by collection; an update keeps the time of creation': async (
    bench,
  ) => {
    const { storage } = bench;
    const none = { collections: [], auditEventCount: 0 };
    expectSame('usage of nothing', await storage.usage([0, 0, 0]), none);
    const order = { ...row(3, '{"id":"ORD-0001","note":"é😀"}'), id: 'ORD-0001' };
    const puts = [{ ...order, collection: 'orders' as const }];
    await commits(storage, { puts: [row(1)], at: START });
    await commits(storage, { puts: [row(2)], at: START + DAY_MS });
    await commits(storage, { puts, events: [event('first')], at: START + DAY_MS });
    await commits(storage, { puts: [row(1, '{}')], at: START + 2 * DAY_MS });
    const usage = async (opened: CheckedStorage) => {
      const found = await opened.usage([START, START - 1, START + DAY_MS]);
      const byName = Object.fromEntries(found.collections.map((each) => [each.collection, each]));
      return { ...found, collections: byName };
    };
    const customers = {
      collection: 'customers',
      records: 2,
      payloadBytes: utf8Length(row(2).body) + 2,
      createdAfter: [1, 2, 0],
      lastUpdatedAt: START + 2 * DAY_MS,
    };
    const orders = {
      collection: 'orders',
      records: 1,
      payloadBytes: utf8Length(order.body),
      createdAfter: [1, 1, 0],
      lastUpdatedAt: START + DAY_MS,
    };
    const wanted = { collections: { customers, orders }, auditEventCount: 1 };
    await bench.alwaysSame('usage', usage, wanted);
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
