// The directory's sums over all accounts, and what a monitor's question costs.

import { expect, it } from 'vitest';
import { createFor, tenantPath } from '../support/admin-paths.js';
import { VALID_BODY } from '../support/collection-table.js';
import { onHost } from '../support/contract.js';
import { FAULTY_WORKER, setFaults } from './faults.js';

onHost(FAULTY_WORKER, 'A view across all accounts', (service) => {
  it('counts all changes, and a monitor costs one row', async () => {
    const totals = async () => {
      const { resources } = (await service.operator.get('/admin/usage')).json.data;
      return { customers: resources.customers, orders: resources.orders };
    };
    const first = service.account();
    const { id } = await createFor(service.operator, first.subject, 'customers');
    await createFor(service.operator, first.subject, 'orders');
    const before = await totals();
    const others = Array.from({ length: 20 }, () => service.account());
    const sent = { ...VALID_BODY.customers, location: 'Mwanza' };
    const created = [];
    for (const { subject } of others) {
      created.push(await createFor(service.operator, subject, 'customers', sent));
    }
    const { rowsRead } = await setFaults(service);
    expect((await service.operator.get('/admin/health')).status).toBe(200);
    expect((await setFaults(service)).rowsRead - rowsRead).toBe(1);
    const bytes = created.map((record) => Buffer.byteLength(JSON.stringify(record)));
    const after = await totals();
    expect(after.orders).toEqual(before.orders);
    expect(after.customers).toMatchObject({
      records: before.customers.records + 20,
      payload_bytes: before.customers.payload_bytes + bytes.reduce((a, b) => a + b),
      created_last_24_hours: before.customers.created_last_24_hours + 20,
    });
    for (const [i, { subject }] of others.entries()) {
      await service.operator.delete(tenantPath(subject, 'customers', created[i]?.id ?? ''));
    }
    // The latest update has gone with its record; the one before it is the latest again.
    expect(await totals()).toEqual(before);
    await service.operator.delete(tenantPath(first.subject, 'customers', id));
    const left = await totals();
    expect(left.customers.records).toBe(before.customers.records - 1);
  });
});
