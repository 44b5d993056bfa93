// The short row of a long order is made once; rows of any number of orders are made in slices.

import { expect, it } from 'vitest';
import { PaymentRows } from '../../src/core/records/payment-rows.js';
import { RecordList } from '../../src/core/records/record-list.js';
import { type RecordWork, workInPlace } from '../../src/core/records/record-work.js';
import { textOfRows } from './memory-records.js';

/** The snapshot of a list of these texts. */
function listOf(...texts: readonly object[]) {
  const list = new RecordList();
  for (const [i, text] of texts.entries()) {
    const at = i + 1;
    list.add({ position: at, key: at, text: JSON.stringify(text), status: undefined });
  }
  return list.snapshot();
}

const atOnce = () => undefined;

it('of long orders are kept for the next reader, except long ones; a failed one is made again', async () => {
  const long = 'x'.repeat(9_000);
  const orders = listOf(
    { id: 'ORD-0001', amount: 5, note: long },
    { id: 'ORD-0002', amount: 5, customer: long },
    { id: 'ORD-0003', amount: 5 },
  );
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
  const order = { id: 'ORD-0001', customer: 'Neema', amount: 5, paid: 1 };
  const rows = new PaymentRows(workInPlace).of(
    'neema',
    listOf(...Array(1_000).fill(order)),
    atOnce,
  );
  const sizes: number[] = [];
  let whole = '';
  for await (const piece of rows) {
    sizes.push(piece.length);
    whole += piece;
  }
  expect(JSON.parse(`[${whole}]`)).toHaveLength(1_000);
  const longestRow = whole.length / 1_000 + 10;
  for (const size of sizes.slice(0, -1)) {
    expect(size).toBeGreaterThan(32_768);
    expect(size).toBeLessThan(32_768 + longestRow);
  }
  expect(sizes.at(-1)).toBeGreaterThan(0);
});

it.each([1, 100])('of %i orders can end a slice before each order', async (count) => {
  const dense = { id: 'ORD-0001', rows: Array(450).fill({ b: 1 }) };
  const orders = listOf(...Array(count).fill(dense));
  let turns = 0;
  const giveWay = async () => void turns++;
  await textOfRows(new PaymentRows(workInPlace).of('neema', orders, giveWay));
  expect(turns).toBe(count);
});
