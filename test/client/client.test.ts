// The typed client against the real service, on every host.

import { type Client, createClient } from 'service-management-api/client';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS, VALID_BODY } from '../support/collection-table.js';
import { type Caller, onEveryHost, serviceFetch } from '../support/contract.js';
import { tokenOf } from '../support/identity-stub.js';

const ORIGIN = 'http://localhost';
const BASE_URL = `${ORIGIN}/api/v1`;
/** A property that no collection has of its own. */
const FREE = 'x-free-property';

async function collected<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

onEveryHost('The client', (service) => {
  const clientOf = ({ subject }: Pick<Caller, 'subject'>, more = {}) =>
    createClient({
      baseUrl: BASE_URL,
      token: tokenOf(subject),
      fetch: serviceFetch(service),
      ...more,
    });

  it.each(COLLECTIONS)('creates, lists, reads, changes and deletes in %s', async (name) => {
    const account = service.account();
    const { [name]: records } = clientOf(account);
    const created = await records.create({ ...VALID_BODY[name], [FREE]: 'Zoë 🧵' } as never);
    expect(created).toMatchObject({ owner_sub: account.subject, [FREE]: 'Zoë 🧵' });
    expect(await records.read(created.id)).toEqual(created);
    expect((await records.list()).items).toEqual([created]);
    const changed = await records.update(created.id, { [FREE]: null } as never);
    expect(changed).toEqual({ ...created, [FREE]: null });
    expect(await records.delete(created.id)).toEqual({ id: created.id, deleted: true });
    expect((await records.list()).items).toEqual([]);
  });

  it('takes the query of a list and gives its pagination', async () => {
    const { orders } = clientOf(service.account());
    const order = { customer: 'Amina & Co', service: 'Hem', amount: 1, status: 'Ready' };
    await orders.create({ ...order, status: 'New' });
    await orders.create(order);
    await orders.create({ ...order, customer: 'Juma' });
    const page = await orders.list({ q: 'amina & c', status: 'Ready', page: 1, page_size: 1 });
    expect(page.items.map(({ customer, status }) => [customer, status])).toEqual([
      ['Amina & Co', 'Ready'],
    ]);
    expect(page.pagination).toEqual({ page: 1, page_size: 1, total: 1, total_pages: 1 });
    expect((await orders.list({ page_size: 2, page: 2 })).items).toHaveLength(1);
  });

  it('lists payments, and those of which something is left to pay; asks for health without a token', async () => {
    const seen: Headers[] = [];
    const send = serviceFetch(service);
    const client = clientOf(service.account(), {
      fetch: (url: string, init: RequestInit) => {
        seen.push(new Headers(init.headers));
        return send(url, init);
      },
    });
    const order = { customer: 'A', service: 'B', amount: 9 };
    const { id } = await client.orders.create({ ...order, paid: 4 });
    await client.orders.create({ ...order, paid: 9 });
    const [, first] = (await client.payments.list()).items;
    expect(first).toMatchObject({ order_id: id, amount: 9, paid: 4, due: 5 });
    expect(await client.payments.due()).toEqual([first]);
    seen.length = 0;
    expect((await client.health()).version).toBe('v1');
    expect(seen.map((headers) => headers.has('authorization'))).toEqual([false]);
  });

  it('reads records with any characters in their id, and refuses an id that no path can hold', async () => {
    const { customers } = clientOf(service.account());
    for (const id of ['a/b', 'é?#%', '...']) {
      await expect(customers.read(id)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining(JSON.stringify(id)),
      });
    }
    for (const id of ['', '.', '..']) {
      await expect(customers.delete(id)).rejects.toMatchObject({ code: 'INVALID_CALL' });
    }
  });

  it('passes status and request id of a successful answer to onAnswer', async () => {
    const { customers } = clientOf(service.account());
    const facts: unknown[] = [];
    const onAnswer = (fact: unknown) => facts.push(fact);
    const { id } = await customers.create({ name: 'A', phone: '1' }, { onAnswer });
    await customers.read(id, { onAnswer });
    const requestId = expect.stringMatching(/^req_/);
    expect(facts).toEqual([
      { status: 201, requestId },
      { status: 200, requestId },
    ]);
    await expect(customers.read('CUS-999999', { onAnswer })).rejects.toThrow();
    expect(facts).toHaveLength(2);
  });

  describe('walks all pages', () => {
    it('newest first, each record once, in pages of 100 unless it is asked for others', async () => {
      const asked: string[] = [];
      const send = serviceFetch(service);
      const { customers } = clientOf(service.account(), {
        fetch: (url: string, init: RequestInit) => {
          asked.push(new URL(url).search);
          return send(url, init);
        },
      });
      const ids = await create(customers, 7);
      const seen = await collected(customers.all({ page_size: 3 }));
      expect(seen.map(({ id }) => id)).toEqual(ids.toReversed());
      expect(await collected(customers.all({ q: 'nobody' }))).toEqual([]);
      expect(asked.at(-1)).toBe('?page_size=100&q=nobody&page=1');
    });

    it('until its signal, which ends it at the next record', async () => {
      const { customers } = clientOf(service.account());
      await create(customers, 3);
      const controller = new AbortController();
      const reason = new Error('the user went away');
      let seen = 0;
      const walk = async () => {
        for await (const _ of customers.all({}, { signal: controller.signal })) {
          seen++;
          if (seen === 2) controller.abort(reason);
        }
      };
      await expect(walk()).rejects.toMatchObject({ code: 'ABORTED', cause: reason });
      expect(seen).toBe(2);
    });

    it('with each record once while records are added', async () => {
      const { customers } = clientOf(service.account());
      const ids = await create(customers, 9);
      const seen: string[] = [];
      for await (const { id } of customers.all({ page_size: 2 })) {
        seen.push(id);
        // Every page shifts by half of itself.
        if (seen.length % 2 === 0) await create(customers, 1);
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => ids.includes(id))).toEqual(ids.toReversed());
    });

    it.each([1, 2, 5])('without missing one while %i are deleted', async (count) => {
      const { customers } = clientOf(service.account());
      const ids = await create(customers, 12);
      const seen: string[] = [];
      for await (const { id } of customers.all({ page_size: 2 })) {
        seen.push(id);
        // The newest: all that is left moves up.
        if (seen.length === 6) {
          for (const gone of ids.toReversed().slice(0, count)) await customers.delete(gone);
        }
      }
      expect(seen).toEqual(ids.toReversed());
    });
  });
});

async function create(customers: Client['customers'], count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.push((await customers.create({ name: `Customer ${i}`, phone: '1' })).id);
  }
  return ids;
}
