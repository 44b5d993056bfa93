// Contract, "Authentication" of admin endpoints and "Method handling": which
// requests the administration API admits, and its paths and methods.

import { expect, it } from 'vitest';
import { ROUTES as ALL_ROUTES } from '../support/collection-table.js';
import { ADMIN_KEY, describeContract, expectRefused } from '../support/contract.js';

/** Every administration route with its `Allow` value; of single records two are enough. */
const ROUTES = ALL_ROUTES.filter(
  ([path]) =>
    /^\/admin/.test(path) && (!path.endsWith('/{id}') || /\/(customers|orders)\//.test(path)),
).map(
  ([path, allow]) =>
    [path.replace('{owner_sub}', 'somebody').replace('{id}', 'CUS-0001'), allow] as const,
);

const NO_ROUTES =
  `/admin /admin/ /admin/nothing /admin/constructor /admin//overview /admin/overview/
  /admin/overview/more /admin/audit/1 /admin/accounts/ /admin/accounts//customers
  /admin/accounts/somebody/ /admin/accounts/somebody/payments /admin/accounts/somebody/__proto__
  /admin/accounts/somebody/payments/PAY-0001 /admin/accounts/somebody/Customers
  /admin/accounts/somebody/customersx /admin/accounts/somebody/customers/
  /admin/accounts/somebody/customers/CUS-0001/more /admin/accounts/%/customers
  /admin/accounts/a%00b/customers`.split(/\s+/);

const EVERY_PATH = [...ROUTES.map(([path]) => path), ...NO_ROUTES];

const WRONG_METHODS = ROUTES.flatMap(([path, allow]) =>
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
    .filter((method) => !allow.split(', ').includes(method))
    .map((method) => [method, path, allow] as const),
);

describeContract('The administration API', (service) => {
  const { operator, anonymous } = service;

  it.each(EVERY_PATH)('answers %s without the key with 401, for every method', async (path) => {
    expectRefused(await anonymous.get(path), 401, 'UNAUTHORIZED');
    expectRefused(await anonymous.send('PUT', path), 401, 'UNAUTHORIZED');
    expectRefused(await anonymous.post(path, 'not json'), 401, 'UNAUTHORIZED');
  });

  it('refuses a key that differs in one character', async () => {
    const headers = { 'X-Service-Admin-Key': `${ADMIN_KEY.slice(0, -1)}!` };
    const reply = await anonymous.send('GET', '/admin/overview', { headers });
    expectRefused(reply, 401, 'UNAUTHORIZED');
  });

  it.each(NO_ROUTES)('answers the operator with 404 at %s', async (path) => {
    expectRefused(await operator.get(path), 404, 'NOT_FOUND');
    expectRefused(await operator.send('PUT', path), 404, 'NOT_FOUND');
  });

  it.each(WRONG_METHODS)('answers the operator %s %s with 405', async (method, path, allow) => {
    const reply = await operator.send(method, path);
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, allow]);
    if (method !== 'HEAD') expect(reply.json.error?.code).toBe('METHOD_NOT_ALLOWED');
  });

  it('answers a preflight without the key', async () => {
    expect((await anonymous.send('OPTIONS', '/admin/overview')).status).toBe(204);
  });

  it('requires the key on an escaped spelling of its path, too', async () => {
    expectRefused(await anonymous.get('/%61dmin/overview'), 401, 'UNAUTHORIZED');
    expect((await operator.get('/%61dmin/overview')).status).toBe(200);
  });

  it('neither accepts nor checks a bearer token, alone or beside the key', async () => {
    const before = service.identity.asked.length;
    for (const path of ['/admin/overview', '/admin/nothing']) {
      expectRefused(await service.account().get(path), 401, 'UNAUTHORIZED');
    }
    const headers = { Authorization: 'Bearer whatever' };
    expect((await operator.send('GET', '/admin/overview', { headers })).status).toBe(200);
    expect(service.identity.asked.length).toBe(before);
  });

  it.each(['/customers', '/adminx', '/administration/overview', '/Admin/overview'])(
    'leaves %s to the data API, where its key counts for nothing',
    async (path) => {
      expectRefused(await operator.get(path), 401, 'UNAUTHORIZED');
      expect((await service.account().get(path)).status).toBe(path === '/customers' ? 200 : 404);
    },
  );
});

describeContract(
  'The administration API without a key in the settings',
  (service) => {
    it.each(EVERY_PATH)('answers 503 at %s, for every method and caller', async (path) => {
      for (const method of ['GET', 'POST', 'PUT']) {
        for (const caller of [service.operator, service.anonymous, service.account()]) {
          expectRefused(await caller.send(method, path), 503, 'ADMIN_DISABLED');
        }
      }
    });

    it('does not stop the data API', async () => {
      expect((await service.account().get('/customers')).status).toBe(200);
    });
  },
  { settings: { ADMIN_API_KEY: '' } },
);
