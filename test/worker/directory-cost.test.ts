// What the directory costs: how many rows its views read, and how often an account
// asks again while it is down.

import { expect, it } from 'vitest';
import { createFor, tenantPath } from '../support/admin-paths.js';
import { VALID_BODY } from '../support/collection-table.js';
import { onHost } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { alarmAt, FAULTY_WORKER, killObject, setFaults } from './faults.js';

onHost(FAULTY_WORKER, 'A directory that stays down', (service) => {
  it('is asked less and less often, also after the object was unloaded', async () => {
    const account = service.account();
    const before = Date.now();
    await setFaults(service, { directoryIsDown: true });
    await account.create('team', VALID_BODY.team);
    // Counted from before, so that a slow machine only makes it longer: the first wait is 2 s to 3 s.
    expect((await alarmAt(service, account.subject)) - before).toBeLessThan(60_000);
    await service.restartChanged(account, 'update outbox set failed_alarms = 9');
    await setFaults(service, { directoryIsDown: true });
    await account.create('team', VALID_BODY.team);
    await eventually(async () => {
      expect((await alarmAt(service, account.subject)) - before).toBeGreaterThan(60_000);
    });
    await killObject(service, account.subject);
    expect((await alarmAt(service, account.subject)) - before).toBeGreaterThan(60_000);
  });
});

onHost(FAULTY_WORKER, 'A view across all accounts', (service) => {
  const VIEWS = ['/admin/overview', '/admin/usage', '/admin/health'];

  it('reads as few rows for many accounts as for one, and counts all changes', async () => {
    const read = async () => {
      const rows = [];
      for (const view of VIEWS) {
        const before = await setFaults(service);
        expect((await service.operator.get(view)).status).toBe(200);
        rows.push((await setFaults(service)).rowsRead - before.rowsRead);
      }
      return rows;
    };
    const totals = async () => {
      const { resources } = (await service.operator.get('/admin/usage')).json.data;
      return { customers: resources.customers, orders: resources.orders };
    };
    const first = service.account();
    const { id } = await createFor(service.operator, first.subject, 'customers');
    await createFor(service.operator, first.subject, 'orders');
    const before = await totals();
    const few = await read();
    expect(few.at(-1)).toBe(1);
    const others = Array.from({ length: 20 }, () => service.account());
    const sent = { ...VALID_BODY.customers, location: 'Mwanza' };
    const created = [];
    for (const { subject } of others) {
      created.push(await createFor(service.operator, subject, 'customers', sent));
    }
    expect(await read()).toEqual(few);
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
