// Contract, "Admin endpoints": the operator on one tenant's records, where it differs from the tenant.
// Each operation on each collection: every-operation; pages: paging.

import { expect, it } from 'vitest';
import { sequenceOfId, VALID_BODY } from '../support/collection-table.js';
import {
  createFor,
  describeContract,
  expectRefused,
  pagination,
  tenantPath,
} from '../support/contract.js';

describeContract("The operator on a tenant's records", (service) => {
  const { operator } = service;

  it('takes ids from the same sequence as the data API', async () => {
    const account = service.account();
    const first = await account.create('customers', VALID_BODY.customers);
    const second = await createFor(operator, account.subject, 'customers');
    const third = await account.create('customers', VALID_BODY.customers);
    const [one = 0, ...more] = [first, second, third].map(({ id }) => sequenceOfId(id));
    expect(more).toEqual([one + 1, one + 2]);
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
