// Contract, "Admin endpoints": the operator lists, creates, reads, changes and deletes one tenant's
// records under the same rules as the tenant. Each operation on each collection: every-operation.

import { expect, it } from 'vitest';
import { sequenceOfId, VALID_BODY } from '../support/collection-table.js';
import {
  createFor,
  describeContract,
  expectRefused,
  idsOf,
  pagination,
  tenantPath,
} from '../support/contract.js';

describeContract("The operator on a tenant's records", (service) => {
  const { operator } = service;

  it('creates a record with the id, the owner and the defaults that the service assigns', async () => {
    const account = service.account();
    const others = { id: 'MINE-1', owner_sub: 'other', ownerSub: 'other' };
    const business = await createFor(operator, account.subject, 'businesses', others);
    const owner = { owner_sub: account.subject, ownerSub: account.subject };
    expect(business).toEqual({ id: expect.stringMatching(/^BIZ-/), ...owner });
    const order = await createFor(operator, account.subject, 'orders');
    expect(order).toMatchObject({ status: 'New', paid: 0, currency: 'TZS' });
    expect((await account.get(`/orders/${order.id}`)).json.data).toEqual(order);
  });

  it('takes ids from the same sequence as the data API', async () => {
    const account = service.account();
    const first = await account.create('customers', VALID_BODY.customers);
    const second = await createFor(operator, account.subject, 'customers');
    const third = await account.create('customers', VALID_BODY.customers);
    const [one = 0, ...more] = [first, second, third].map(({ id }) => sequenceOfId(id));
    expect(more).toEqual([one + 1, one + 2]);
  });

  it('merges a PATCH, keeps id, owner and place in the list, and the tenant sees the change', async () => {
    const account = service.account();
    const older = await account.create('businesses', { businessName: 'A', kept: 1 });
    const newer = await account.create('businesses', { businessName: 'B' });
    const others = { id: 'BIZ-9999', owner_sub: 'thief', ownerSub: 'thief' };
    const reply = await operator.patch(tenantPath(account.subject, 'businesses', older.id), {
      ...others,
      ...{ businessName: 'C', added: null },
    });
    expect(reply.status).toBe(200);
    const merged = { ...older, businessName: 'C', added: null };
    expect(reply.json.data).toEqual(merged);
    expect((await account.get('/businesses')).json.data).toEqual([newer, merged]);
  });

  it("gets 404 for an id that is not the tenant's, also for another tenant's", async () => {
    const owner = service.account().subject;
    const { id } = await createFor(operator, service.account().subject, 'customers');
    for (const wrong of [id, 'CUS-9999999', 'constructor']) {
      const path = tenantPath(owner, 'customers', wrong);
      for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
        expectRefused(await operator.send(method, path, { body }), 404, 'NOT_FOUND');
      }
    }
  });

  it("lists only the tenant's records, newest first, filtered by q and not by status", async () => {
    const owner = service.account().subject;
    const list = async (query: string) =>
      (await operator.get(`${tenantPath(owner, 'orders')}?${query}`)).json;
    await createFor(operator, service.account().subject, 'orders');
    const nothing = await list('');
    expect([nothing.data, nothing.meta.pagination]).toEqual([[], pagination(1, 50, 0, 0)]);
    const records = [];
    for (const customer of ['Neema', 'JUMA', 'juma']) {
      const body = { ...VALID_BODY.orders, customer };
      records.unshift(await createFor(operator, owner, 'orders', body));
    }
    expect((await list('')).data).toEqual(records);
    expect((await list('status=Ready')).data).toEqual(records);
    expect((await list('q=Juma')).data).toEqual(records.slice(0, 2));
    expect((await list('q=juma&status=Ready&page_size=1&page=2')).data).toEqual([records[1]]);
    expect((await list('q=juma&page_size=1')).meta.pagination).toEqual(pagination(1, 1, 2, 2));
  });

  it('has 50 records on a page by default and at most 200', async () => {
    const owner = service.account().subject;
    const path = tenantPath(owner, 'customers');
    await Promise.all(Array.from({ length: 203 }, () => createFor(operator, owner, 'customers')));
    const all = [...idsOf(await operator.get(`${path}?page_size=200`))];
    expect(all).toHaveLength(200);
    const last = await operator.get(`${path}?page_size=5000&page=2`);
    expect(last.json.meta.pagination).toEqual(pagination(2, 200, 203, 2));
    all.push(...idsOf(last));
    const sequences = all.map(sequenceOfId);
    expect(sequences).toEqual(sequences.toSorted((a, b) => b - a));
    expect(new Set(all).size).toBe(203);
    expect(idsOf(await operator.get(path))).toEqual(all.slice(0, 50));
    expect(idsOf(await operator.get(`${path}?page=0&page_size=-3`))).toEqual(all.slice(0, 50));
    expect(idsOf(await operator.get(`${path}?page=4`))).toEqual(all.slice(150, 200));
  });
});

// No URL can spell `.` and `..`, so the operator opens these accounts as `~.` and `~..`.
describeContract('The account named like a dot segment', (service) => {
  it.each([
    ['.', '~.'],
    ['..', '~..'],
    ['~..', '~~..'],
    ['~~.', '~~~.'],
    ['...', '...'],
    ['~a', '~a'],
    ['%2E%2E', '%252E%252E'],
  ])('%s is %s in the path of the operator', async (subject, segment) => {
    const { id } = await service.account(subject).create('customers', VALID_BODY.customers);
    const base = `/admin/accounts/${segment}`;
    const account = await service.operator.get(base);
    expect([account.status, account.json.data?.owner_sub]).toEqual([200, subject]);
    const record = await service.operator.patch(`${base}/customers/${id}`, { note: 'seen' });
    expect([record.status, record.json.data?.owner_sub]).toEqual([200, subject]);
    const created = await service.operator.post(`${base}/team`, VALID_BODY.team);
    expect([created.status, created.json.data?.owner_sub]).toEqual([201, subject]);
    const deleted = await service.operator.delete(`${base}/customers/${id}`);
    expect(deleted.status).toBe(200);
  });
});
