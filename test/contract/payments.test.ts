// Contract, "Payment row (derived, read-only)": one row for each order of the caller, computed on
// demand.

import { expect, it } from 'vitest';
import type { Payment } from '../../src/core/domain/api-schema.js';
import { sequenceOfId } from '../support/collection-table.js';
import {
  type Caller,
  describeContract,
  expectError,
  type JsonRecord,
  pagination,
} from '../support/contract.js';

const ORDER = { customer: 'Asha Mrema', service: 'Braids', amount: 45_000 };

describeContract('Payments', (service) => {
  it('have every field of a row, from its order or by default', async () => {
    const account = service.account();
    const paid = { paid: 20_000, currency: 'USD', method: 'M-Pesa', note: 'not shown' };
    const order = await account.create('orders', { ...ORDER, ...paid });
    const row = {
      ...{ id: order.id.replace('ORD-', 'PAY-'), order_id: order.id, customer: 'Asha Mrema' },
      ...{ amount: 45_000, paid: 20_000, due: 25_000, currency: 'USD', method: 'M-Pesa' },
      status: 'pending',
    };
    expect(await rowsOf(account)).toStrictEqual([row]);
    await account.create('orders', ORDER);
    const defaults = { paid: 0, due: 45_000, currency: 'TZS', method: null, status: 'pending' };
    expect(await rowsOf(account)).toMatchObject([defaults, row]);
  });

  it('follow every change of their order, and disappear with it', async () => {
    const account = service.account();
    const { id } = await account.create('orders', ORDER);
    const path = `/orders/${id}`;
    const steps: readonly (readonly [JsonRecord, JsonRecord])[] = [
      [{ paid: 45_000 }, { paid: 45_000, due: 0, status: 'paid' }],
      [{ amount: 50_000 }, { amount: 50_000, due: 5_000, status: 'pending' }],
      [{ paid: '50000' }, { paid: 0, due: 50_000, status: 'pending' }],
      [{ paid: 50_001 }, { paid: 50_001, due: -1, status: 'paid' }],
      [{ method: 'cash' }, { method: 'cash' }],
      [{ method: null }, { method: null }],
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

  it('are one empty page for an account without orders', async () => {
    const account = service.account();
    await account.create('customers', { name: 'Asha', phone: '1' });
    const reply = await account.get('/payments');
    expect(reply.status).toBe(200);
    expect(reply.json.data).toEqual([]);
    expect(reply.json.meta.pagination).toStrictEqual(pagination(1, 0, 0, 1));
  });

  it('are all on one page, newest first, and none of another account', async () => {
    const [account, stranger] = [service.account(), service.account()];
    const mine = await Promise.all(
      Array.from({ length: 120 }, () => account.create('orders', ORDER)),
    );
    await stranger.create('orders', ORDER);
    const expected = mine.map(({ id }) => sequenceOfId(id)).sort((a, b) => b - a);
    const first = mine.find(({ id }) => sequenceOfId(id) === expected[119]);
    await account.patch(`/orders/${first?.id}`, { paid: 1 });
    const reply = await account.get<Payment[]>('/payments');
    const shown = reply.json.data.map((row) => sequenceOfId(row.order_id));
    expect(shown).toEqual(expected);
    expect(reply.json.data.map(({ id }) => sequenceOfId(id))).toEqual(expected);
    expect(reply.json.meta.pagination).toStrictEqual(pagination(1, 120, 120, 1));
  });

  it('ignore the query, and no path leads to a single row', async () => {
    const account = service.account();
    await account.create('orders', ORDER);
    await account.create('orders', ORDER);
    const plain = await account.get<Payment[]>('/payments');
    for (const query of ['?page=2', '?page_size=1', '?q=nothing', '?status=x&q=y&page=9&z']) {
      const { json } = await account.get<Payment[]>(`/payments${query}`);
      expect([json.data.length, json.data]).toStrictEqual([2, plain.json.data]);
      expect(json.meta.pagination).toStrictEqual(plain.json.meta.pagination);
    }
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const path = `/payments/${plain.json.data[0]?.id}`;
      expectError(await account.send(method, path), 404, 'NOT_FOUND');
    }
  });
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

async function rowsOf(account: Caller): Promise<Payment[]> {
  const reply = await account.get<Payment[]>('/payments');
  expect(reply.status).toBe(200);
  return reply.json.data;
}
