// The rows of long orders: made once, one at a time for each account, and again
// where the work could not be done.

import { expect, it } from 'vitest';
import { memoryRecord } from '../../src/records/memory-record.js';
import { PaymentRows } from '../../src/records/payment-rows.js';
import { type RecordWork, workInPlace } from '../../src/records/record-work.js';
import { Turns } from '../../src/turns.js';
import { turn } from './map-journal.js';
import { textOfRows } from './memory-records.js';

const ORDERS = [1, 2, 3].map((key) => {
  const id = `ORD-000${key}`;
  const text = JSON.stringify({ id, customer: `${key}`.repeat(9_000), amount: 5, paid: key });
  return memoryRecord(key, key, { text, status: undefined });
});

it('are made once for all readers, and one at a time for an account', async () => {
  let [made, underWay, most] = [0, 0, 0];
  const work: RecordWork = {
    ...workInPlace,
    async paymentPieces(order) {
      made++;
      most = Math.max(most, ++underWay);
      await turn();
      underWay--;
      return workInPlace.paymentPieces(order);
    },
  };
  const rows = new PaymentRows(work, new Turns());
  const texts = await Promise.all(
    Array.from({ length: 20 }, () => textOfRows(rows.of('neema', ORDERS))),
  );
  expect(new Set(texts).size).toBe(1);
  const ids = JSON.parse(`[${texts[0]}]`).map(({ id }: { id: string }) => id);
  expect(ids).toEqual(['PAY-0003', 'PAY-0002', 'PAY-0001']);
  expect([made, most]).toEqual([3, 1]);
});

it('are tried again by the next reader where the work failed', async () => {
  let fails = true;
  const work: RecordWork = {
    ...workInPlace,
    async paymentPieces(order) {
      if (fails) throw new Error('the thread has ended');
      return workInPlace.paymentPieces(order);
    },
  };
  const rows = new PaymentRows(work, new Turns());
  await expect(textOfRows(rows.of('neema', ORDERS))).rejects.toThrow('has ended');
  fails = false;
  expect(JSON.parse(`[${await textOfRows(rows.of('neema', ORDERS))}]`)).toHaveLength(3);
});
