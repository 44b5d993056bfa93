// Contract, "Route table" and "Method handling": the response to each path and method, the order of
// the checks, and how a path is decoded.

import { expect, it } from 'vitest';
import { ROUTES } from '../support/collection-table.js';
import {
  type Caller,
  type ContractService,
  describeContract,
  expectError,
  type Reply,
  replyOf,
} from '../support/contract.js';

const CUSTOMER = { name: 'Neema Mushi', phone: '+255 713 445 210' };

const METHODS = wordsOf('GET HEAD POST PUT PATCH DELETE PURGE PROPFIND SEARCH');

/** Every method on every path that is not in the route table. */
const UNSUPPORTED = ROUTES.flatMap(([template, allow]) => {
  const path = template.replace('{owner_sub}', 'somebody').replace('{id}', 'ANY-0001');
  const methods = METHODS.filter((method) => !allow.split(', ').includes(method));
  return methods.map((method) => ({ method, path, allow }));
});

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
  /custom%2565rs /constructor /__proto__ /constructor/name
  /admin /admin/ /admin/nothing /admin/constructor /admin//overview /admin/overview/
  /admin/overview/more /admin/audit/1 /admin/accounts/ /admin/accounts//customers
  /admin/accounts/somebody/ /admin/accounts/somebody/payments /admin/accounts/somebody/__proto__
  /admin/accounts/somebody/payments/PAY-0001 /admin/accounts/somebody/Customers
  /admin/accounts/somebody/customersx /admin/accounts/somebody/customers/
  /admin/accounts/somebody/customers/CUS-0001/more /admin/accounts/%/customers
  /admin/accounts/a%00b/customers`);

/** The operator for the paths of the administration API, otherwise an account that has records. */
function admittedTo(path: string, { operator, account }: ContractService): Caller {
  return path.startsWith('/admin') ? operator : account('local-preview');
}

function expectNotFound(reply: Reply) {
  expectError(reply, 404, 'NOT_FOUND');
  expect(reply.headers.has('allow')).toBe(false);
}

describeContract('An unsupported method', (service) => {
  it.each(UNSUPPORTED)(
    'is 401 without credentials, and with them 405 and Allow: $allow: $method $path',
    async ({ method, path, allow }) => {
      const before = service.identity.tokens.length;
      const anonymous = await service.anonymous.send(method, path);
      const reply = await admittedTo(path, service).send(method, path);
      expect([reply.status, reply.headers.get('allow')]).toEqual([405, allow]);
      if (method === 'HEAD') expect(reply.text).toBe('');
      else expect(reply.json.error?.code).toBe('METHOD_NOT_ALLOWED');
      // Health needs no credentials, and checks none.
      const isOpen = path === '/health';
      const { status, headers } = anonymous;
      expect([status, headers.get('allow')]).toEqual(isOpen ? [405, allow] : [401, null]);
      if (isOpen) expect(service.identity.tokens.length).toBe(before);
    },
  );

  it('changes no record, and a method in a header or the query has no effect', async () => {
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

describeContract('A path', (service) => {
  it.each(OUTSIDE)('outside the prefix is 404 without authentication: %s', async (path) => {
    const before = service.identity.tokens.length;
    for (const headers of [{}, { Authorization: 'Bearer is.c29tZW9uZQ' }]) {
      expectNotFound(await replyOf(await service.fetch(path, { headers })));
    }
    expect(service.identity.tokens.length).toBe(before);
  });

  it.each(['', ...WITHOUT_ROUTE])(
    'under the prefix without a route is 401 without credentials, and with them 404: "%s"',
    async (path) => {
      for (const method of ['GET', 'PUT']) {
        const anonymous = await service.anonymous.send(method, path);
        expectError(anonymous, 401, 'UNAUTHORIZED');
        expectNotFound(await admittedTo(path, service).send(method, path));
      }
    },
  );

  it.each([
    ['everything', `/${encoded('customers')}/${encoded('CUS-0001')}`],
    ['small hexadecimal digits', '/customers/CUS%2d0001'],
    ['dots, which go up before anything is looked at', '/orders/%2e%2e/customers/CUS-0001'],
    ['a dot, which stays', '/%2e/customers/CUS-0001'],
  ])('has its segments percent-decoded once: %s', async (_name, path) => {
    const reply = await service.account('local-preview').get(path);
    expect([reply.status, reply.json.data.id]).toEqual([200, 'CUS-0001']);
  });

  it('may contain escapes in its prefix', async () => {
    expect((await replyOf(await service.fetch('/%61pi/%76%31/h%65alth'))).status).toBe(200);
  });

  it.each(['a/b', 'a%2Fb', 'CUS%2D0001', '?x=1', '😀'])(
    'with the unknown id %j is 404, and the message quotes the id unchanged',
    async (unknown) => {
      const reply = await service
        .account('local-preview')
        .get(`/customers/${encodeURIComponent(unknown)}`);
      expectNotFound(reply);
      expect(reply.json.error?.message).toContain(JSON.stringify(unknown));
    },
  );

  it('ends before the query', async () => {
    const account = service.account();
    expect((await account.get('/customers?/orders')).status).toBe(200);
    expect((await account.get('/customers?')).status).toBe(200);
    expectNotFound(await account.get('/invoices?x=/customers'));
    const slash = await account.get('/customers/');
    expect(slash.json.error?.message).toMatch(/without a slash/);
    expect((await replyOf(await service.fetch('/api/v1/health?a=%zz&b=%00'))).status).toBe(200);
  });

  it('ends before a fragment, as does the query', async () => {
    const account = service.account('local-preview');
    expect((await account.get('/customers#/orders')).status).toBe(200);
    const reply = await account.get('/customers?page_size=1#page_size=2');
    expect(reply.json.meta.pagination.page_size).toBe(1);
    const without = await account.get('/customers#?page_size=1');
    expect(without.json.meta.pagination.page_size).toBe(20);
  });

  it('is refused with 401, 404 or 405 before the body is read', async () => {
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
