// Contract, "List": the caller's own records only, filtered by status. Pages: paging; that each list is
// newest first: every-operation.

import { beforeAll, expect, it } from 'vitest';
import { COLLECTION_TABLE, VALID_BODY } from '../support/collection-table.js';
import {
  type Caller,
  createFor,
  describeContract,
  idsOf,
  pagination,
  type Row,
  tenantPath,
} from '../support/contract.js';

const ORDER = { customer: 'Asha', service: 'Braids', amount: 45_000 };

// Filters together with pages: search.
describeContract('A list', (service) => {
  it('never shows a record of another account, whatever the query', async () => {
    const [account, stranger] = [service.account(), service.account()];
    const own = await account.create('orders', ORDER);
    await stranger.create('orders', { ...ORDER, note: `for ${account.subject}` });
    await service.account('local-preview').create('orders', ORDER);
    const queries = ['', '?q=Asha', '?status=New', '?q=ord-', '?page_size=100', '?q=%22'];
    for (const query of [...queries, `?q=${account.subject}`]) {
      const reply = await account.get(`/orders${query}`);
      expect(reply.json.data).toStrictEqual([own]);
      expect(reply.json.meta.pagination.total).toBe(1);
    }
    const other = await account.get(`/orders?q=${stranger.subject}&owner_sub=${stranger.subject}`);
    expect(other.json.data).toEqual([]);
  });

  it('returns a page of several megabytes completely', async () => {
    const account = service.account();
    // Different offsets, so that a surrogate pair lies across every border between two pieces.
    const notes = ['', 'x', 'xy'].map((start) => start + '💇🏾'.repeat(110_000));
    for (const note of notes) await account.create('businesses', { note });
    for (const query of ['', '?q=%F0%9F%92%87']) {
      const reply = await account.get<Row[]>(`/businesses${query}`);
      const answered = reply.json.data.map((record) => record['note']).reverse();
      expect(notes.every((note, n) => note === answered[n])).toBe(true);
      expect(reply.json.meta.pagination.total).toBe(3);
    }
  });
});

describeContract("The operator's list of a tenant", ({ account, operator }) => {
  it("has only the tenant's records, newest first, filtered by q and not by status", async () => {
    const owner = account().subject;
    const list = async (query: string) =>
      (await operator.get(`${tenantPath(owner, 'orders')}?${query}`)).json;
    await createFor(operator, account().subject, 'orders');
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

describeContract('A filter by status', (service) => {
  const STATUSES = ['New', 'new', 'In progress', 'Ready', 'Ready ', '', 'null', 'Tayari ✓', '5'];
  const NO_STATUSES = ['NEW', 'Ne', 'New ', ' New', 'Done', 'true', '[object Object]', '"New"'];
  let account: Caller;
  beforeAll(async () => {
    account = service.account();
    for (const status of STATUSES) {
      await account.create('orders', { ...ORDER, status, note: `is ${status}.` });
    }
    for (const status of [null, 5, true, ['New'], { New: 'New' }]) {
      await account.create('orders', { ...ORDER, status, note: 'no text' });
    }
  });

  it.each(STATUSES.filter((status) => status !== ''))('finds exactly %j', async (status) => {
    const reply = await account.get<Row[]>(`/orders?status=${encodeURIComponent(status)}`);
    expect(reply.json.data.map((order) => order['status'])).toEqual([status]);
    expect(reply.json.meta.pagination).toStrictEqual(pagination(1, 20, 1, 1));
  });

  it.each(NO_STATUSES)('finds nothing for %j', async (status) => {
    const reply = await account.get(`/orders?status=${encodeURIComponent(status)}`);
    expect(reply.json.data).toEqual([]);
    expect(reply.json.meta.pagination).toStrictEqual(pagination(1, 20, 0, 0));
  });

  it('has no effect when it is empty', async () => {
    for (const query of ['status=', 'status', 'q=', 'q=&status=', 'STATUS=New', 'Q=nothing']) {
      const { json } = await account.get(`/orders?${query}`);
      expect(json.meta.pagination.total).toBe(STATUSES.length + 5);
    }
  });

  it.each(COLLECTION_TABLE.filter(({ defaults }) => defaults['status'] === undefined))(
    'includes $name without a status and filters those that have one',
    async (row) => {
      const caller = service.account();
      const without = await caller.create(row.name, row.body);
      const done = await caller.create(row.name, { ...row.body, status: 'Done' });
      const empty = await caller.create(row.name, { ...row.body, status: null });
      const ids = async (query: string) => idsOf(await caller.get(`/${row.name}?${query}`));
      expect(await ids('status=Done')).toEqual([done.id, without.id]);
      expect(await ids('status=Other')).toEqual([without.id]);
      expect(await ids('status=Other&q=done')).toEqual([]);
      expect(await ids('status=')).toEqual([empty.id, done.id, without.id]);
    },
  );
});
