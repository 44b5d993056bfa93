// Several gateways at once, as there always are, and a gateway and objects of
// different versions, as there are during a deployment.

import { expect, it, onTestFinished } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { onHost } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { FAULTY_WORKER, setFaults } from './faults.js';
import { openMaintained } from './maintained-service.js';

it('Two gateways show each other’s writes at once, lose none of them, and give no id twice', async () => {
  const { as, origins, close } = await openMaintained({ others: ['second-gateway'] });
  onTestFinished(close);
  const send = (gateway: number, method: string, path: string, body?: unknown) =>
    as('shared', method, path, body, origins[gateway % 2]);
  const { json } = await send(0, 'POST', '/customers', VALID_BODY.customers);
  const path = `/customers/${json.data.id}`;
  expect((await send(1, 'GET', path)).json.data).toEqual(json.data);
  const all = <T>(count: number, each: (i: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, i) => each(i)));
  const writes = await all(40, (i) => send(i, 'PATCH', path, { [`p${i}`]: i }));
  expect(writes.every(({ status }) => status === 200)).toBe(true);
  for (const gateway of [0, 1]) {
    expect(Object.keys((await send(gateway, 'GET', path)).json.data)).toHaveLength(4 + 40);
  }
  const created = await all(60, (i) => send(i, 'POST', '/orders', VALID_BODY.orders));
  expect(new Set(created.map((reply) => reply.json.data.id)).size).toBe(60);
});

onHost(FAULTY_WORKER, 'A deployment under way', (service) => {
  it.each([
    ['a gateway one version ahead', { gatewayIsNewer: true, objectsAreNewer: false }],
    ['objects one version ahead', { gatewayIsNewer: false, objectsAreNewer: true }],
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
    await setFaults(service, { gatewayIsNewer: false, objectsAreNewer: false });
  });
});
