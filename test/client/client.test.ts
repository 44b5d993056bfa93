// The typed clients against the real service, on every host. Every reason for a refused field is in
// test/pages/api.test.ts, iteration during concurrent changes in test/data/calls.test.ts.

import { ApiError, type Client, createClient } from 'service-management-api/client';
import { createOperatorClient } from 'service-management-api/operator-client';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS, VALID_BODY } from '../support/collection-table.js';
import { ADMIN_KEY, type ContractService, describeContract } from '../support/contract.js';
import { tokenOf } from '../support/identity-stub.js';

const BASE_URL = 'http://localhost/api/v1';
/** A property that no collection defines. */
const FREE = 'x-free-property';

/** A `fetch` for the clients under test: sends every request to the service, whatever its origin. */
function serviceFetch({ fetch }: ContractService) {
  return (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(url);
    return fetch(pathname + search, init);
  };
}

async function create(customers: Client['customers'], count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await customers.create({ name: 'N', phone: '1' })).id);
  return ids;
}

describeContract('The client', (service) => {
  /** A client for a new account, and its requests. */
  function opened(options = {}) {
    const { subject } = service.account();
    const send = serviceFetch(service);
    const sent: { search: string; headers: Headers; requestId: string | null }[] = [];
    const client = createClient({
      baseUrl: BASE_URL,
      token: tokenOf(subject),
      async fetch(url: string, init: RequestInit) {
        const response = await send(url, init);
        const requestId = response.headers.get('x-request-id');
        sent.push({ search: new URL(url).search, headers: new Headers(init.headers), requestId });
        return response;
      },
      ...options,
    });
    return { ...client, client, subject, sent };
  }

  it.each(COLLECTIONS)('creates, lists, reads, changes and deletes in %s', async (name) => {
    const { subject, [name]: records } = opened();
    const created = await records.create({ ...VALID_BODY[name], [FREE]: 'Zoë 🧵' } as never);
    expect(created).toMatchObject({ owner_sub: subject, [FREE]: 'Zoë 🧵' });
    expect(await records.read(created.id)).toEqual(created);
    const pagination = { page: 1, page_size: 20, total: 1, total_pages: 1 };
    expect(await records.list({ q: 'zoË' })).toEqual({ items: [created], pagination });
    const changed = await records.update(created.id, { [FREE]: null } as never);
    expect(changed).toEqual({ ...created, [FREE]: null });
    expect(await records.delete(created.id)).toEqual({ id: created.id, deleted: true });
    expect((await records.list()).items).toEqual([]);
  });

  it('lists all payments and those that are due, and requests health without a token', async () => {
    const { orders, payments, client, sent } = opened();
    const order = { customer: 'A', service: 'B', amount: 9 };
    const { id } = await orders.create({ ...order, paid: 4 });
    await orders.create({ ...order, paid: 9 });
    const [, first] = (await payments.list()).items;
    expect(first).toMatchObject({ order_id: id, due: 5 });
    expect(await payments.due()).toEqual([first]);
    expect((await client.health()).version).toBe('v1');
    const signed = sent.map(({ headers }) => headers.has('authorization'));
    expect(signed).toEqual([true, true, true, true, false]);
  });

  it('reads records with any characters in their id, and refuses an id that no path can hold', async () => {
    const { customers } = opened();
    const message = expect.stringContaining(JSON.stringify('a/b é?#%'));
    await expect(customers.read('a/b é?#%')).rejects.toMatchObject({ code: 'NOT_FOUND', message });
    for (const id of ['', '..']) {
      await expect(customers.delete(id)).rejects.toMatchObject({ code: 'INVALID_CALL' });
    }
  });

  it('passes status and request id of a successful response to onAnswer', async () => {
    const { customers, sent } = opened();
    const facts: unknown[] = [];
    const onAnswer = (fact: unknown) => facts.push(fact);
    await customers.create({ name: 'A', phone: '1' }, { onAnswer });
    await expect(customers.read('CUS-999999', { onAnswer })).rejects.toThrow();
    expect(facts).toEqual([{ status: 201, requestId: sent[0]?.requestId }]);
  });

  it('calls the token function again after a refused token, and sends the new one', async () => {
    const refused: (string | undefined)[] = [];
    let fresh = 'expired';
    const token = (given?: string) => {
      refused.push(given);
      if (given !== undefined) fresh = tokenOf('a user');
      return fresh;
    };
    const { customers } = opened({ token });
    // A create, too, because the refused one changed nothing.
    await customers.create({ name: 'A', phone: '1' });
    expect((await customers.list()).pagination.total).toBe(1);
    expect(refused).toEqual([undefined, 'expired', undefined]);
  });

  it('gives up if every token is refused', async () => {
    const { customers, sent } = opened({ token: (old = '') => `${old}-expired` });
    await expect(customers.list()).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
    expect(sent).toHaveLength(2);
  });

  it('reports why each field is wrong, including a NaN whose JSON is null, with the request id', async () => {
    const { orders, sent } = opened();
    const order = { customer: '', service: 'B', amount: Number('five') };
    const error = await orders.create(order).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      ...{ name: 'ApiError', code: 'VALIDATION_FAILED', status: 422 },
      message: expect.stringContaining('customer is an empty string'),
      requestId: sent[0]?.requestId,
      fields: {
        customer: { reason: 'empty', message: expect.stringMatching(/^is .*; it must be /) },
        amount: { reason: 'not_a_number', message: 'is NaN; it must be a number above 0' },
      },
    });
  });

  describe('iterates over all pages', () => {
    it('newest first, each record once, in pages of 100 by default', async () => {
      const { customers, sent } = opened();
      const ids = await create(customers, 7);
      const seen: string[] = [];
      for await (const { id } of customers.all({ page_size: 2 })) seen.push(id);
      expect(seen).toEqual(ids.toReversed());
      for await (const row of customers.all({ q: 'nobody' })) expect(row).toBeUndefined();
      expect(sent.at(-1)?.search).toBe('?page_size=100&q=nobody&page=1');
    });

    it('until its signal aborts, before the next record', async () => {
      const { customers } = opened();
      await create(customers, 2);
      const controller = new AbortController();
      const cause = new Error('the user went away');
      const rows = customers.all({}, { signal: controller.signal });
      await rows.next();
      controller.abort(cause);
      await expect(rows.next()).rejects.toMatchObject({ code: 'ABORTED', cause });
    });
  });
});

describeContract("The operator's client", (service) => {
  const operator = (adminKey = ADMIN_KEY) =>
    createOperatorClient({ baseUrl: BASE_URL, adminKey, fetch: serviceFetch(service) });

  it('lists and reads the accounts and the views, and throws the same ApiError as the other client', async () => {
    const { accounts, audit, recordsOf, overview, usage, health } = operator();
    const { businesses } = recordsOf('zawadi');
    const business = await businesses.create({ businessName: 'Zawadi Tailoring' });
    const row = { owner_sub: 'zawadi', record_count: 1 };
    expect((await accounts.list({ q: 'zawadi tail' })).items).toMatchObject([row]);
    const subjects = [];
    for await (const { owner_sub } of accounts.all({ page_size: 1 })) subjects.push(owner_sub);
    expect(subjects).toEqual(expect.arrayContaining(['local-preview', 'zawadi']));
    expect((await accounts.read('zawadi')).profiles).toEqual([business]);
    expect((await audit.list()).items[0]).toMatchObject({ record_id: business.id });
    expect((await overview()).record_count).toBe((await usage()).record_count);
    expect(await health()).toMatchObject({ status: 'ok', database: 'ok' });
    const refused = operator('wrong').overview();
    await expect(refused).rejects.toThrow(ApiError);
    await expect(refused).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
  });
});
