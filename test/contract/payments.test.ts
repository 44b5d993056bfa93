// Contract, "Payment row (derived, read-only)": one row for each order of the
// caller, computed when asked.

import { expect, it } from 'vitest';
import {
  type Caller,
  describeContract,
  expectRefused,
  type JsonRecord,
  pagination,
} from '../support/contract.js';

const ORDER = { customer: 'Asha Mrema', service: 'Braids', amount: 45_000 };

/** The amount of an order and what is paid; what is due, and the status of the payment. */
const AMOUNTS: readonly (readonly [amount: number, paid: unknown, due: number, status: string])[] =
  [
    [45_000, 0, 45_000, 'pending'],
    [45_000, 44_999.5, 0.5, 'pending'],
    [45_000, 45_000, 0, 'paid'],
    [45_000, 60_000, -15_000, 'paid'],
    [45_000, -5_000, 50_000, 'pending'],
    [0.3, 0.1, 0.3 - 0.1, 'pending'],
    [45_000, '45000', 45_000, 'pending'],
  ];

const QUERIES = ['?page=2', '?page_size=1', '?q=nothing', '?status=paid', '?status=x&q=y&page=9&z'];

describeContract('Payments', (service) => {
  it('answers every field of a row, from its order', async () => {
    const account = service.account();
    const order = await account.create('orders', {
      ...ORDER,
      paid: 20_000,
      currency: 'USD',
      method: 'M-Pesa',
      note: 'not shown',
    });
    expect(await rowsOf(account)).toStrictEqual([
      {
        id: order.id.replace('ORD-', 'PAY-'),
        order_id: order.id,
        customer: 'Asha Mrema',
        amount: 45_000,
        paid: 20_000,
        due: 25_000,
        currency: 'USD',
        method: 'M-Pesa',
        status: 'pending',
      },
    ]);
  });

  it('shows the defaults of an order and null for a method that is not stored', async () => {
    const account = service.account();
    await account.create('orders', ORDER);
    expect(await rowsOf(account)).toMatchObject([
      { paid: 0, due: 45_000, currency: 'TZS', method: null, status: 'pending' },
    ]);
  });

  it.each(AMOUNTS)('of %j with %j paid: %j are due, %s', async (amount, paid, due, status) => {
    const account = service.account();
    await account.create('orders', { ...ORDER, amount, paid });
    const row = { amount, paid: typeof paid === 'number' ? paid : 0, due, status };
    expect(await rowsOf(account)).toMatchObject([row]);
  });

  it('follows every change of its order, and disappears with it', async () => {
    const account = service.account();
    const { id } = await account.create('orders', ORDER);
    const path = `/orders/${id}`;
    const steps: readonly (readonly [JsonRecord, JsonRecord])[] = [
      [{ paid: 45_000 }, { paid: 45_000, due: 0, status: 'paid' }],
      [{ amount: 50_000 }, { amount: 50_000, due: 5_000, status: 'pending' }],
      [{ paid: '50000' }, { paid: 0, due: 50_000, status: 'pending' }],
      [{ paid: null }, { paid: 0, due: 50_000, status: 'pending' }],
      [{ paid: 50_001 }, { paid: 50_001, due: -1, status: 'paid' }],
      [
        { method: 'cash', currency: 'KES' },
        { method: 'cash', currency: 'KES' },
      ],
      [
        { method: null, customer: 'Neema' },
        { method: null, customer: 'Neema' },
      ],
      // The order's own `status` has no effect on the payment's.
      [{ status: 'Ready' }, { status: 'paid' }],
    ];
    for (const [change, shown] of steps) {
      expect((await account.patch(path, change)).status).toBe(200);
      expect(await rowsOf(account)).toMatchObject([shown]);
    }
    await account.delete(path);
    expect(await rowsOf(account)).toEqual([]);
  });

  it('answers one empty page to an account without orders', async () => {
    const account = service.account();
    await account.create('customers', { name: 'Asha', phone: '1' });
    const reply = await account.get('/payments');
    expect(reply.status).toBe(200);
    expect(reply.json.data).toEqual([]);
    expect(reply.json.meta.pagination).toStrictEqual(pagination(1, 0, 0, 1));
  });

  it('answers all rows on one page, newest first, and no row of another account', async () => {
    const [account, stranger] = [service.account(), service.account()];
    const mine = await Promise.all(
      Array.from({ length: 120 }, () => account.create('orders', ORDER)),
    );
    await stranger.create('orders', ORDER);
    const expected = mine.map(({ id }) => sequenceOf(id)).sort((a, b) => b - a);
    const first = mine.find(({ id }) => sequenceOf(id) === expected[119]);
    await account.patch(`/orders/${first?.id}`, { paid: 1 });
    const reply = await account.get('/payments');
    const shown = reply.json.data.map((row: { order_id: string }) => sequenceOf(row.order_id));
    expect(shown).toEqual(expected);
    expect(reply.json.data.map(({ id }: { id: string }) => sequenceOf(id))).toEqual(expected);
    expect(reply.json.meta.pagination).toStrictEqual(pagination(1, 120, 120, 1));
  });

  it.each(QUERIES)('ignores %s', async (query) => {
    const account = service.account();
    await account.create('orders', ORDER);
    await account.create('orders', ORDER);
    const plain = await account.get('/payments');
    const reply = await account.get(`/payments${query}`);
    expect(reply.json.data).toHaveLength(2);
    expect(reply.json.data).toStrictEqual(plain.json.data);
    expect(reply.json.meta.pagination).toStrictEqual(plain.json.meta.pagination);
  });

  it.each(['GET', 'POST', 'PATCH', 'DELETE'])(
    'have no row that a path could %s',
    async (method) => {
      const account = service.account();
      await account.create('orders', ORDER);
      const [row] = await rowsOf(account);
      const body = method === 'GET' ? {} : { body: {} };
      const reply = await account.send(method, `/payments/${row?.['id']}`, body);
      expectRefused(reply, 404, 'NOT_FOUND');
    },
  );
});

describeContract('Payments of stored orders', (service) => {
  it('count a stored amount or paid that is not a number as 0', async () => {
    const account = service.account();
    const texts = await account.create('orders', { ...ORDER, paid: 5 });
    const neither = await account.create('orders', ORDER);
    const { amount: _amount, paid: _paid, customer: _customer, currency: _, ...rest } = neither;
    const stored = [{ ...texts, amount: '45000' }, rest].map(
      (body) => `update records set body = '${JSON.stringify(body)}' where id = '${body['id']}'`,
    );
    await service.restartChanged(...stored);
    expect(await rowsOf(account)).toMatchObject([
      { amount: 0, paid: 0, due: 0, status: 'paid', customer: null, currency: null },
      { amount: 0, paid: 5, due: -5, status: 'paid' },
    ]);
  });
});

async function rowsOf(account: Caller): Promise<JsonRecord[]> {
  const reply = await account.get('/payments');
  expect(reply.status).toBe(200);
  return reply.json.data;
}

/** The digits of `ORD-0042` and `PAY-0042`, as a number. */
function sequenceOf(id: string): number {
  expect(id).toMatch(/^(ORD|PAY)-[0-9]{4,}$/);
  return Number(id.slice(4));
}
