// The short row of a long order is made once; rows of any number of orders are made in slices.

import { expect, it } from 'vitest';
import { PaymentRows } from '../../src/core/records/payment-rows.js';
import {
  type ListSnapshot,
  type MemoryRecord,
  memoryRecord,
  RecordList,
} from '../../src/core/records/record-list.js';
import { type RecordWork, workInPlace } from '../../src/core/records/record-work.js';
import { textOfRows } from './memory-records.js';

/** A list of these records. */
function listOf(records: readonly MemoryRecord[]): ListSnapshot {
  const list = new RecordList();
  for (const record of records) list.add(record);
  return list.snapshot();
}

const atOnce = () => undefined;

it('of long orders are kept for the next reader, except long ones; a failed one is made again', async () => {
  const order = (key: number, more: object) => {
    const text = JSON.stringify({ id: `ORD-000${key}`, amount: 5, paid: key, ...more });
    return memoryRecord(key, key, { text, status: undefined });
  };
  const long = 'x'.repeat(9_000);
  const orders = listOf([order(1, { note: long }), order(2, { customer: long }), order(3, {})]);
  const made: string[] = [];
  let fails = true;
  const paymentRow: RecordWork['paymentRow'] = async (text, account) => {
    if (fails) throw new Error('the thread has ended');
    made.push(JSON.parse(text).id);
    return workInPlace.paymentRow(text, account);
  };
  const rows = new PaymentRows({ ...workInPlace, paymentRow });
  const read = () => textOfRows(rows.of('neema', orders, atOnce));
  await expect(read()).rejects.toThrow('has ended');
  fails = false;
  for (const _ of ['first', 'second']) {
    const ids = JSON.parse(`[${await read()}]`).map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['PAY-0003', 'PAY-0002', 'PAY-0001']);
  }
  expect(made).toEqual(['ORD-0003', 'ORD-0002', 'ORD-0001', 'ORD-0003', 'ORD-0002']);
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
