// The operator's views of a storage that answers them itself, as tests. An
// adapter's own test file passes a way to open it.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Journal, StoredViews } from '../../src/records/journal.js';
import { changes, event, row, rows } from './journal-conformance.js';

export function viewsConformanceOf(
  name: string,
  make: () => Promise<{ open(): Promise<Journal & StoredViews>; remove(): Promise<void> }>,
): void {
  describe(`The operator's views of storage — ${name}`, () => {
    let open: () => Promise<Journal & StoredViews>;
    let remove: () => Promise<void>;
    let journal: Journal & StoredViews;

    beforeEach(async () => {
      ({ open, remove } = await make());
      journal = await open();
    });
    afterEach(async () => {
      await journal.close();
      await remove();
    });

    it('counts rows, bytes and times by collection, an update keeping the time of creation', async () => {
      const day = 24 * 60 * 60 * 1000;
      const start = 1_700_000_000_000;
      const order = { ...row(3, '{"id":"ORD-0001","note":"é😀"}'), id: 'ORD-0001' };
      await journal.commit(changes({ puts: [row(1)], at: start }));
      await journal.commit(changes({ puts: [row(2)], at: start + day }));
      await journal.commit(
        changes({
          puts: [{ ...order, collection: 'orders' }],
          events: [event('first')],
          at: start + day,
        }),
      );
      await journal.commit(changes({ puts: [row(1, '{}')], at: start + 2 * day }));
      for (const _ of ['now', 'after reopening']) {
        const { collections: usage, auditEventCount } = await journal.usage([
          start,
          start - 1,
          start + day,
        ]);
        expect(auditEventCount).toBe(1);
        expect(usage).toHaveLength(2);
        expect(usage).toContainEqual({
          collection: 'customers',
          records: 2,
          payloadBytes: Buffer.byteLength(row(2).body) + 2,
          createdAfter: [1, 2, 0],
          lastUpdatedAt: start + 2 * day,
        });
        expect(usage).toContainEqual({
          collection: 'orders',
          records: 1,
          payloadBytes: Buffer.byteLength(order.body),
          createdAfter: [1, 1, 0],
          lastUpdatedAt: start + day,
        });
        await journal.close();
        journal = await open();
      }
    });

    it('counts every row of many, and none where there is none', async () => {
      expect(await journal.usage([0, 0, 0])).toEqual({ collections: [], auditEventCount: 0 });
      await journal.commit(changes({ puts: rows(60_000), at: 5 }));
      const [usage] = (await journal.usage([0, 4, 5])).collections;
      expect(usage).toMatchObject({ records: 60_000, createdAfter: [60_000, 60_000, 0] });
    });

    it('answers a ping while open, and refuses it once closed', async () => {
      await journal.ping();
      await journal.close();
      await expect(journal.ping()).rejects.toThrow();
      journal = await open();
    });
  });
}
