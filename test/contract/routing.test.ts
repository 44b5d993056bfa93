// Contract, "Route table" and "Method handling": the answer to each path and
// method, the order of the checks, and how a path is decoded.

import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../support/collection-table.js';
import {
  type Caller,
  describeContract,
  expectRefused,
  type Reply,
  replyOf,
} from '../support/contract.js';

const CUSTOMER = { name: 'Neema Mushi', phone: '+255 713 445 210' };

const ALLOWED: readonly (readonly [path: string, allow: string])[] = [
  ...COLLECTIONS.map((name) => [`/${name}`, 'GET, POST'] as const),
  ...COLLECTIONS.map((name) => [`/${name}/ANY-0001`, 'GET, PATCH, DELETE'] as const),
  ['/payments', 'GET'],
  ['/health', 'GET'],
];

const METHODS = wordsOf('GET HEAD POST PUT PATCH DELETE PURGE PROPFIND SEARCH');

/** Paths of the server. */
const OUTSIDE = wordsOf(`
  / /api /api/ /api/v1x /api/v1x/customers /api/v10/health /api/v2/customers /api/V1/health
  /api//v1/health //api/v1/health /health /admin/overview /api/v1%2Fhealth /api%2Fv1/health
  /api/%zz/v1/health /%00/api/v1/health /constructor`);

/** Paths under the prefix. */
const WITHOUT_ROUTE = wordsOf(`
  / // /invoices /Customers /customer /customersx /xcustomers /customers|orders /customers/
  //customers /customers// /customers//CUS-0001 /customers/CUS-0001/ /customers/CUS-0001/notes
  /payments/ /payments/PAY-0001 /health/ /% /customers/% /customers/%zz /customers/CUS%2
  /customers/%C3 /customers/%C0%80 /customers/%ED%A0%80 /customers/%00 /customers/CUS-0001%00
  /customers/CUS-0001%0D%0A /customers/%7F /customers/%C2%85 /customers%2FCUS-0001
  /customers/CUS%252D0001 /custom%2565rs /constructor /__proto__ /constructor/name`);

/** Every method on every path that is not in the route table. */
const UNSUPPORTED = ALLOWED.flatMap(([path, allow]) =>
  METHODS.filter((method) => !allow.split(', ').includes(method)).map((method) => ({
    method,
    path,
    allow,
  })),
);

function expectNotFound(reply: Reply) {
  expectRefused(reply, 404, 'NOT_FOUND');
  expect(reply.headers.has('allow')).toBe(false);
}

describeContract('Methods', (service) => {
  it.each(UNSUPPORTED)(
    '$method $path is 405 and allows $allow',
    async ({ method, path, allow }) => {
      const reply = await service.account().send(method, path);
      expect(reply.status).toBe(405);
      expect(reply.headers.get('allow')).toBe(allow);
      if (method === 'HEAD') expect(reply.text).toBe('');
      else expect(reply.json.error?.code).toBe('METHOD_NOT_ALLOWED');
    },
  );

  it.each(METHODS.filter((method) => method !== 'GET'))(
    '%s /health is 405 without authentication, and no token is checked',
    async (method) => {
      const before = service.identity.asked.length;
      const { status, headers } = await service.anonymous.send(method, '/health');
      expect(status).toBe(405);
      expect(headers.get('allow')).toBe('GET');
      expect((await service.account().send(method, '/health')).status).toBe(405);
      expect(service.identity.asked.length).toBe(before);
    },
  );

  it('a wrong method changes no record, and a method in a header or the query has no effect', async () => {
    const account = service.account();
    const record = await account.create('customers', CUSTOMER);
    const path = `/customers/${record.id}`;
    await account.send('PUT', path, { body: { name: 'Replaced', phone: '0' } });
    await account.send('POST', path, { body: { name: 'Replaced', phone: '0' } });
    await account.send('DELETE', '/customers');
    const headers = { 'X-HTTP-Method-Override': 'DELETE' };
    const reply = await account.send('GET', `${path}?_method=DELETE`, { headers });
    expect(reply.json.data).toEqual(record);
  });
});

describeContract('Paths', (service) => {
  describe('outside the prefix: 404 in the envelope, without authentication', () => {
    it.each(OUTSIDE)('%s', async (path) => {
      const before = service.identity.asked.length;
      expectNotFound(await replyOf(await service.fetch(path)));
      const headers = { Authorization: 'Bearer is.c29tZW9uZQ' };
      expectNotFound(await replyOf(await service.fetch(path, { headers })));
      expect(service.identity.asked.length).toBe(before);
    });
  });

  describe('under the prefix without a route: 401, then 404', () => {
    it.each(['', ...WITHOUT_ROUTE])('%s', async (path) => {
      expect((await service.anonymous.get(path)).status).toBe(401);
      expectNotFound(await service.account('local-preview').get(path));
    });
  });

  it.each(['constructor', '__proto__'])('the record id %s is 404 for each method', async (id) => {
    const account = service.account('local-preview');
    expectNotFound(await account.get(`/customers/${id}`));
    expectNotFound(await account.patch(`/customers/${id}`, {}));
    expectNotFound(await account.delete(`/customers/${id}`));
  });

  describe('segments are percent-decoded once', () => {
    const id = 'CUS-0001';
    it.each([
      ['everything', `/${encoded('customers')}/${encoded(id)}`],
      ['small hexadecimal digits', '/customers/CUS%2d0001'],
      ['dots, which go up before anything is looked at', `/orders/%2e%2e/customers/${id}`],
      ['a dot, which stays', `/%2e/customers/${id}`],
    ])('%s', async (_name, path) => {
      const reply = await service.account('local-preview').get(path);
      expect(reply.status).toBe(200);
      expect(reply.json.data.id).toBe(id);
    });

    it('an escaped prefix is the prefix', async () => {
      expect((await replyOf(await service.fetch('/%61pi/%76%31/h%65alth'))).status).toBe(200);
    });

    it.each(['a/b', 'a%2Fb', '?x=1', '😀'])(
      'the message quotes an unknown id %j unchanged',
      async (unknown) => {
        const reply = await service.account().get(`/customers/${encodeURIComponent(unknown)}`);
        expectNotFound(reply);
        expect(reply.json.error?.message).toContain(JSON.stringify(unknown));
      },
    );
  });

  it('the query does not belong to the path', async () => {
    const account = service.account();
    expect((await account.get('/customers?/orders')).status).toBe(200);
    expect((await account.get('/customers?')).status).toBe(200);
    expectNotFound(await account.get('/invoices?x=/customers'));
    const slash = await account.get('/customers/');
    expect(slash.json.error?.message).toMatch(/without a slash/);
    expect((await replyOf(await service.fetch('/api/v1/health?a=%zz&b=%00'))).status).toBe(200);
  });

  it('a fragment belongs neither to the path nor to the query', async () => {
    const account = service.account('local-preview');
    expect((await account.get('/customers#/orders')).status).toBe(200);
    const reply = await account.get('/customers?page_size=1#page_size=2');
    expect(reply.json.meta.pagination.page_size).toBe(1);
    const without = await account.get('/customers#?page_size=1');
    expect(without.json.meta.pagination.page_size).toBe(20);
  });

  it('answers 401, 404 and 405 before it reads the body', async () => {
    const statusOf = async (caller: Caller, path: string) =>
      (await caller.send('POST', path, { body: '{"not": json' })).status;
    const account = service.account();
    expect(await statusOf(service.anonymous, '/customers')).toBe(401);
    expect(await statusOf(account, '/invoices')).toBe(404);
    expect(await statusOf(account, '/payments')).toBe(405);
    expect(await statusOf(account, '/customers')).toBe(400);
  });
});

function encoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/);
}
