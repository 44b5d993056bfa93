// Contract, "Admin endpoints": the operator lists, creates, reads, changes and
// deletes one tenant's records under the same rules as the tenant.

import { expect, it } from 'vitest';
import { createFor, idsOf, pagination, tenantPath } from '../support/admin-paths.js';
import { COLLECTIONS, sequenceOfId, VALID_BODY } from '../support/collection-table.js';
import { describeContract } from '../support/contract.js';

const SUBJECTS = [
  'auth0|1',
  'x/y',
  '💇🏾‍♀️',
  'a b+c&d=e?f#g',
  '100%25',
  '..hidden',
  'customers',
  'Ünïcode',
  '__proto__',
  'it\'s "quoted" \\ (*)',
];

describeContract("The operator on a tenant's records", (service) => {
  const { operator } = service;

  it.each(COLLECTIONS)('creates a record in %s with the id and owner it assigns', async (name) => {
    const account = service.account();
    const reply = await operator.post(tenantPath(account.subject, name), {
      ...VALID_BODY[name],
      id: 'MINE-1',
      owner_sub: 'somebody-else',
      anything: { nested: [1, null] },
    });
    expect(reply.status).toBe(201);
    expect(reply.json.data).toMatchObject({
      ...VALID_BODY[name],
      owner_sub: account.subject,
      anything: { nested: [1, null] },
    });
    expect(reply.json.data.id).not.toBe('MINE-1');
    const path = `/${name}/${reply.json.data.id}`;
    expect((await account.get(path)).json.data).toEqual(reply.json.data);
    expect((await operator.get(tenantPath(account.subject) + path)).json.data).toEqual(
      reply.json.data,
    );
  });

  it('sets both owner properties of a business profile, and the defaults of other records', async () => {
    const owner = service.account().subject;
    const business = await createFor(operator, owner, 'businesses', { ownerSub: 'x' });
    expect(business).toMatchObject({ owner_sub: owner, ownerSub: owner });
    expect(await createFor(operator, owner, 'orders')).toMatchObject({
      status: 'New',
      paid: 0,
      currency: 'TZS',
    });
    expect(await createFor(operator, owner, 'services')).toMatchObject({
      active: true,
      currency: 'TZS',
    });
  });

  it('takes ids from the same sequence as the data API', async () => {
    const account = service.account();
    const first = await account.create('customers', VALID_BODY.customers);
    const second = await createFor(operator, account.subject, 'customers');
    const third = await account.create('customers', VALID_BODY.customers);
    expect([second.id, third.id].map(sequenceOfId)).toEqual([
      sequenceOfId(first.id) + 1,
      sequenceOfId(first.id) + 2,
    ]);
  });

  it('merges a PATCH, keeps id, owner and place in the list, and the tenant sees the change', async () => {
    const account = service.account();
    const older = await account.create('businesses', { businessName: 'A', kept: 1 });
    const newer = await account.create('businesses', { businessName: 'B' });
    const reply = await operator.patch(tenantPath(account.subject, 'businesses', older.id), {
      id: 'BIZ-9999',
      owner_sub: 'thief',
      ownerSub: 'thief',
      businessName: 'C',
      added: null,
    });
    expect(reply.status).toBe(200);
    const merged = { ...older, businessName: 'C', added: null };
    expect(reply.json.data).toEqual(merged);
    expect((await account.get('/businesses')).json.data).toEqual([newer, merged]);
  });

  it("answers 404 for an id that is not the tenant's, also for another tenant's", async () => {
    const owner = service.account().subject;
    const { id } = await createFor(operator, service.account().subject, 'customers');
    for (const path of [
      tenantPath(owner, 'customers', id),
      tenantPath(owner, 'customers', 'CUS-9999999'),
      tenantPath(owner, 'customers', 'constructor'),
    ]) {
      for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
        const reply = await operator.send(method, path, { body });
        expect([method, reply.status, reply.json.error?.code]).toEqual([method, 404, 'NOT_FOUND']);
      }
    }
  });

  it.each(COLLECTIONS)('lists %s of a tenant without rows as empty', async (name) => {
    const reply = await operator.get(tenantPath('without-any-row', name));
    expect(reply.status).toBe(200);
    expect(reply.json.data).toEqual([]);
    expect(reply.json.meta.pagination).toEqual(pagination(1, 50, 0, 0));
  });

  it("lists only the tenant's records, newest first, filtered by q and not by status", async () => {
    const owner = service.account().subject;
    await createFor(operator, service.account().subject, 'orders');
    const records = [];
    for (const customer of ['Neema', 'JUMA', 'juma']) {
      records.unshift(
        await createFor(operator, owner, 'orders', { ...VALID_BODY.orders, customer }),
      );
    }
    const list = async (query: string) =>
      (await operator.get(`${tenantPath(owner, 'orders')}?${query}`)).json;
    expect((await list('')).data).toEqual(records);
    expect((await list('status=Ready')).data).toEqual(records);
    expect((await list('q=Juma')).data).toEqual(records.slice(0, 2));
    expect((await list('q=juma&status=Ready&page_size=1&page=2')).data).toEqual([records[1]]);
    expect((await list('q=juma&page_size=1')).meta.pagination).toEqual(pagination(1, 1, 2, 2));
  });

  it.each(SUBJECTS)('finds the tenant %j by the escaped subject', async (subject) => {
    const account = service.account(subject);
    const record = await createFor(operator, subject, 'customers');
    expect(record['owner_sub']).toBe(subject);
    expect((await account.get(`/customers/${record.id}`)).json.data).toEqual(record);
    const path = tenantPath(subject, 'customers', record.id);
    const patched = await operator.patch(path, { name: 'Rehema' });
    expect((await account.get(`/customers/${record.id}`)).json.data).toEqual(patched.json.data);
    expect((await operator.get(tenantPath(subject))).json.data).toMatchObject({
      owner_sub: subject,
      record_count: 1,
    });
    expect((await operator.delete(path)).status).toBe(200);
    expect((await account.get('/customers')).json.data).toEqual([]);
  });
});

describeContract("Pages of a tenant's records", (service) => {
  const { operator } = service;

  it('have 50 rows on a page by default and at most 200', async () => {
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
describeContract('Accounts named like a dot segment', (service) => {
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
