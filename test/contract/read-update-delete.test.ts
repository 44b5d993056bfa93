// Contract, "Read", "Update" and "Delete": one record, by its owner only.

import { expect, it } from 'vitest';
import { COLLECTION_TABLE, sequenceOfId } from '../support/collection-table.js';
import {
  type Caller,
  describeContract,
  expectError,
  type Reply,
  tenantPath,
} from '../support/contract.js';

const CUSTOMER = { name: 'Asha Mrema', phone: '+255 712 000 111' };
const ORDER = { customer: 'Asha Mrema', service: 'Braids', amount: 45_000 };

describeContract('A read', (service) => {
  it('ignores query parameters', async () => {
    const account = service.account();
    const order = await account.create('orders', ORDER);
    const reply = await account.get(`/orders/${order.id}?status=Gone&q=nothing&page=9`);
    expect(reply.json.data).toStrictEqual(order);
  });

  it('finds a record only in its own collection and by its exact id, as does every change', async () => {
    const account = service.account();
    const { id } = await account.create('customers', CUSTOMER);
    const near = [id.toLowerCase(), `${id}0`, id.slice(0, -1), id.slice(4), `${id}%20`, '%00'];
    const others = [...near, 'constructor', '__proto__', 'CUS-', '*'];
    for (const path of [...others.map((other) => `/customers/${other}`), `/team/${id}`]) {
      for (const answer of [account.get(path), account.patch(path, {}), account.delete(path)]) {
        expectError(await answer, 404, 'NOT_FOUND');
      }
    }
  });
});

describeContract('An update', (service) => {
  it('merges shallowly: new over old, property by property, nested values as a whole', async () => {
    const account = service.account();
    const record = await account.create('customers', {
      ...CUSTOMER,
      address: { city: 'Dar es Salaam', street: 'Uhuru' },
      tags: [1, 2, 3],
      kept: { deep: [true] },
    });
    const changes = { address: { city: 'Arusha' }, tags: [9], extra: 0 };
    const reply = await account.patch(`/customers/${record.id}`, changes);
    expect(reply.status).toBe(200);
    expect(reply.json.data).toStrictEqual({ ...record, ...changes });
    const read = await account.get(`/customers/${record.id}`);
    expect(read.json.data).toStrictEqual(reply.json.data);
  });

  it('stores a null that is sent, and keeps the property', async () => {
    const account = service.account();
    const order = await account.create('orders', { ...ORDER, date: 'today', method: 'cash' });
    const nulls = { date: null, method: null, currency: null, status: null, new: null };
    const reply = await account.patch(`/orders/${order.id}`, nulls);
    expect(reply.json.data).toStrictEqual({ ...order, ...nulls });
    const again = await account.patch(`/orders/${order.id}`, {});
    expect(again.json.data).toStrictEqual({ ...order, ...nulls });
  });

  it('keeps all of 60 concurrent changes to different properties of one record', async () => {
    const account = service.account();
    const record = await account.create('businesses', {});
    const keys = Array.from({ length: 60 }, (_, n) => `key${n}`);
    const replies = await Promise.all(
      keys.map((key) => account.patch(`/businesses/${record.id}`, { [key]: key })),
    );
    for (const [n, reply] of replies.entries()) {
      expect(reply.status).toBe(200);
      expect(reply.json.data[`key${n}`]).toBe(`key${n}`);
    }
    const all = { ...record, ...Object.fromEntries(keys.map((key) => [key, key])) };
    expect((await account.get(`/businesses/${record.id}`)).json.data).toEqual(all);
    await service.restart();
    expect((await account.get(`/businesses/${record.id}`)).json.data).toEqual(all);
  });
});

describeContract('A delete', (service) => {
  it('accepts a body and ignores it', async () => {
    const account = service.account();
    const { id } = await account.create('customers', CUSTOMER);
    const reply = await account.send('DELETE', `/customers/${id}`, { body: 'not JSON' });
    expect(reply.json.data).toStrictEqual({ id, deleted: true });
    expect(Object.keys(reply.json.meta).sort()).toEqual(['request_id', 'timestamp']);
  });

  it('changes no other record, nor does an update', async () => {
    const account = service.account();
    const customer = await account.create('customers', CUSTOMER);
    const offer = await account.create('services', { name: 'Braids', price: 45_000 });
    const member = await account.create('team', { name: 'Neema', phone: '1' });
    const order = await account.create('orders', { ...ORDER, assignee: 'Neema' });
    await account.patch(`/services/${offer.id}`, { name: 'Twists' });
    await account.delete(`/customers/${customer.id}`);
    await account.delete(`/services/${offer.id}`);
    await account.delete(`/team/${member.id}`);
    for (const path of [`/orders/${order.id}`, '/orders', `/orders?q=${order.id}`]) {
      expect([(await account.get(path)).json.data].flat()).toStrictEqual([order]);
    }
    expect((await account.get(`/customers?q=${customer.id}`)).json.data).toEqual([]);
  });

  it('succeeds once among 20 concurrent ones, no concurrent change undoes it, and the id is not reused after a restart', async () => {
    const account = service.account();
    const { id } = await account.create('customers', CUSTOMER);
    const path = `/customers/${id}`;
    const changes = Array.from({ length: 20 }, (_, n) => account.patch(path, { n }));
    const deletes = Array.from({ length: 20 }, () => account.delete(path));
    changes.push(...Array.from({ length: 20 }, (_, n) => account.patch(path, { n })));
    const deleted = (await Promise.all(deletes)).map(({ status }) => status).sort();
    expect(deleted).toEqual([200, ...Array.from({ length: 19 }, () => 404)]);
    for (const { status } of await Promise.all(changes)) expect([200, 404]).toContain(status);
    expect((await account.get(path)).status).toBe(404);
    await service.restart();
    expect((await account.get(path)).status).toBe(404);
    const next = await account.create('customers', CUSTOMER);
    expect(sequenceOfId(next.id)).toBeGreaterThan(sequenceOfId(id));
  });
});

const ACTIONS: readonly ((caller: Caller, path: string) => Promise<Reply>)[] = [
  (caller, path) => caller.get(path),
  (caller, path) => caller.patch(path, { name: 'taken', amount: 1 }),
  (caller, path) => caller.patch(path, {}),
  (caller, path) => caller.patch(path, { name: null }),
  (caller, path) => caller.patch(path, { owner_sub: caller.subject }),
  (caller, path) => caller.delete(path),
];

describeContract('A record of another account', (service) => {
  it.each(COLLECTION_TABLE)(
    'is 404 for every action on $name, as if it did not exist, even for the operator',
    async (row) => {
      const [owner, stranger] = [service.account(), service.account()];
      const record = await owner.create(row.name, row.body);
      const missingId = `${row.idPrefix}${'9'.repeat(record.id.length - row.idPrefix.length)}`;
      for (const act of ACTIONS) {
        const foreign = await act(stranger, `/${row.name}/${record.id}`);
        const missing = await act(stranger, `/${row.name}/${missingId}`);
        expectError(missing, 404, 'NOT_FOUND');
        expect(seen(foreign, record.id)).toEqual(seen(missing, missingId));
        const byOperator = act(service.operator, tenantPath(stranger.subject, row.name, record.id));
        expectError(await byOperator, 404, 'NOT_FOUND');
      }
      expect((await owner.get(`/${row.name}/${record.id}`)).json.data).toStrictEqual(record);
      expect((await stranger.get(`/${row.name}`)).json.data).toEqual([]);
    },
  );
});

/** Everything in a response, except for the id that the caller sent. */
function seen({ status, headers, json }: Reply, id: string): unknown {
  const names = [...headers.keys()].filter((name) => name !== 'content-length').sort();
  const error = JSON.stringify(json.error).replaceAll(id, 'ID');
  return { status, names, error, meta: Object.keys(json.meta) };
}
