// The rows of long orders are made once, and again if the work could not be done; rows of any
// number of orders are made in slices.

import { expect, it } from 'vitest';
import { type MemoryRecord, memoryRecord } from '../../src/core/records/memory-record.js';
import { PaymentRows } from '../../src/core/records/payment-rows.js';
import { type ListSnapshot, RecordList } from '../../src/core/records/record-list.js';
import { type RecordWork, workInPlace } from '../../src/core/records/record-work.js';
import { turn } from './map-storage.js';
import { textOfRows } from './memory-records.js';

const ORDERS = [1, 2, 3].map((key) => {
  const id = `ORD-000${key}`;
  const text = JSON.stringify({ id, customer: `${key}`.repeat(9_000), amount: 5, paid: key });
  return memoryRecord(key, key, { text, status: undefined });
});

/** A list of these records. */
function listOf(records: readonly MemoryRecord[]): ListSnapshot {
  const list = new RecordList();
  for (const record of records) list.add(record);
  return list.snapshot();
}

const atOnce = () => undefined;

it('are made once for all readers, one after the other', async () => {
  let [made, underWay, most] = [0, 0, 0];
  const work: RecordWork = {
    ...workInPlace,
    async paymentPieces(order, account) {
      made++;
      most = Math.max(most, ++underWay);
      await turn();
      underWay--;
      return workInPlace.paymentPieces(order, account);
    },
  };
  const rows = new PaymentRows(work);
  const texts = await Promise.all(
    Array.from({ length: 20 }, () => textOfRows(rows.of('neema', listOf(ORDERS), atOnce))),
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
    async paymentPieces(order, account) {
      if (fails) throw new Error('the thread has ended');
      return workInPlace.paymentPieces(order, account);
    },
  };
  const rows = new PaymentRows(work);
  await expect(textOfRows(rows.of('neema', listOf(ORDERS), atOnce))).rejects.toThrow('has ended');
  fails = false;
  expect(
    JSON.parse(`[${await textOfRows(rows.of('neema', listOf(ORDERS), atOnce))}]`),
  ).toHaveLength(3);
});

it('of many short orders come in pieces of about 32,768 characters', async () => {
  const orders = Array.from({ length: 1_000 }, (_, i) => {
    const id = `ORD-${String(i + 1).padStart(4, '0')}`;
    const text = JSON.stringify({ id, customer: 'Neema', amount: 5, paid: 1 });
    return memoryRecord(i + 1, i + 1, { text, status: undefined });
  });
  const rows = new PaymentRows(workInPlace).of('neema', listOf(orders), atOnce);
  const sizes: number[] = [];
  for await (const piece of rows) sizes.push(piece.length);
  const whole = await textOfRows(new PaymentRows(workInPlace).of('neema', listOf(orders), atOnce));
  expect(JSON.parse(`[${whole}]`)).toHaveLength(1_000);
  const longestRow = whole.length / 1_000 + 10;
  for (const size of sizes.slice(0, -1)) {
    expect(size).toBeGreaterThan(32_768);
    expect(size).toBeLessThan(32_768 + longestRow);
  }
  expect(sizes.at(-1)).toBeGreaterThan(0);
});

it.each([1, 100])('of %i orders can end a slice before each order', async (count) => {
  const dense = JSON.stringify({ id: 'ORD-0001', rows: Array(450).fill({ b: 1 }) });
  const orders = Array.from({ length: count }, (_, i) =>
    memoryRecord(i + 1, i + 1, { text: dense, status: undefined }),
  );
  let turns = 0;
  const giveWay = async () => void turns++;
  await textOfRows(new PaymentRows(workInPlace).of('neema', listOf(orders), giveWay));
  expect(turns).toBe(count);
});
