// Several gateways at once, as there always are, and a gateway and objects of
// different versions, as there are during a deployment.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { ADMIN_KEY, onHost } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { type IdentityStub, openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { plain, startBeside, workerOptions } from '../support/worker-host.js';
import { FAULTY_WORKER, setFaults } from './faults.js';

describe('Two gateways', () => {
  let folder: TemporaryFolder;
  let identity: IdentityStub;
  let miniflare: Awaited<ReturnType<typeof startBeside>>['miniflare'];
  let origins: string[];

  beforeAll(async () => {
    folder = await openTemporaryFolder();
    identity = await openIdentityStub();
    const settings = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY };
    const first = await workerOptions(folder.path, settings);
    ({ miniflare, origins } = await startBeside(first, { name: 'second-front' }));
  });

  afterAll(async () => {
    await miniflare.dispose();
    await identity.close();
    await folder.remove();
  });

  async function send(front: number, method: string, path: string, body?: unknown) {
    const response = await fetch(
      `${origins[front]}/api/v1${path}`,
      plain({
        method,
        headers: { Authorization: `Bearer ${tokenOf('shared')}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    return { status: response.status, json: JSON.parse(await response.text()) };
  }

  it('show each other’s writes at once, and lose none of them', async () => {
    const { json } = await send(0, 'POST', '/customers', VALID_BODY.customers);
    const path = `/customers/${json.data.id}`;
    expect((await send(1, 'GET', path)).json.data).toEqual(json.data);
    const writes = Array.from({ length: 40 }, (_, i) =>
      send(i % 2, 'PATCH', path, { [`p${i}`]: i }),
    );
    expect((await Promise.all(writes)).every(({ status }) => status === 200)).toBe(true);
    for (const front of [0, 1]) {
      expect(Object.keys((await send(front, 'GET', path)).json.data)).toHaveLength(4 + 40);
    }
  });

  it('give no id twice', async () => {
    const creates = Array.from({ length: 60 }, (_, i) =>
      send(i % 2, 'POST', '/orders', VALID_BODY.orders),
    );
    const ids = (await Promise.all(creates)).map(({ json }) => json.data.id);
    expect(new Set(ids).size).toBe(60);
  });
});

onHost(FAULTY_WORKER, 'A deployment under way', (service) => {
  it.each([
    ['a front one version ahead', { frontIsNewer: true, objectsAreNewer: false }],
    ['objects one version ahead', { frontIsNewer: false, objectsAreNewer: true }],
  ])('serves everything with %s', async (_name, versions) => {
    await setFaults(service, versions);
    const account = service.account();
    const record = await account.create('orders', VALID_BODY.orders);
    const path = `/orders/${record.id}`;
    expect((await account.get(path)).json.data).toEqual(record);
    const patched = (await account.patch(path, { status: 'Ready' })).json.data;
    expect(patched).toEqual({ ...record, status: 'Ready' });
    expect((await account.get('/orders?status=Ready')).json.data).toEqual([patched]);
    expect((await account.get('/payments')).json.data).toHaveLength(1);
    expect((await account.post('/orders', {})).status).toBe(422);
    const tenant = `/admin/accounts/${account.subject}`;
    expect((await service.operator.get(tenant)).json.data.record_count).toBe(1);
    expect((await service.operator.patch(`${tenant}${path}`, { paid: 1 })).status).toBe(200);
    const events = (await service.operator.get('/admin/audit')).json.data;
    expect(events[0]).toMatchObject({ owner_sub: account.subject, changed: ['paid'] });
    expect((await account.delete(path)).json.data).toEqual({ id: record.id, deleted: true });
    expect((await account.get(path)).status).toBe(404);
    await eventually(async () => {
      const { json } = await service.operator.get(`/admin/accounts?q=${account.subject}`);
      expect(json.data).toEqual([]);
    });
    await setFaults(service, { frontIsNewer: false, objectsAreNewer: false });
  });

  it('answers 500 in the envelope when the object does not know an operation yet, and changes nothing', async () => {
    const account = service.account();
    const record = await account.create('customers', VALID_BODY.customers);
    await setFaults(service, { unknownOperation: 'update' });
    const { status, json } = await account.patch(`/customers/${record.id}`, { name: 'Other' });
    expect([status, json.error?.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect((await account.get('/customers')).json.data).toEqual([record]);
    await setFaults(service, { unknownOperation: '' });
    expect((await account.patch(`/customers/${record.id}`, { name: 'Other' })).status).toBe(200);
  });
});
