// The directory and the accounts that tell it of themselves: what becomes of
// the operator's views, and of the accounts, when one of the two is not there.

import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { createFor, tenantPath } from '../support/admin-paths.js';
import { VALID_BODY } from '../support/collection-table.js';
import { type ContractService, onHost } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { objectDatabase } from '../support/worker-host.js';
import { deliverAgain, FAULTY_WORKER, killObject, setFaults } from './faults.js';

async function counted({ operator }: ContractService, owner: string): Promise<number | undefined> {
  const { json } = await operator.get(`/admin/accounts?q=${encodeURIComponent(owner)}`);
  return json.data[0]?.record_count;
}

async function audited({ operator }: ContractService, owner: string): Promise<string[]> {
  const { data } = (await operator.get('/admin/audit?page_size=200')).json;
  return data
    .filter((event: { owner_sub: string }) => event.owner_sub === owner)
    .map((event: { record_id: string }) => event.record_id);
}

onHost(FAULTY_WORKER, 'A directory that is down', (service) => {
  it('delays no read and no write, and has every change after it is back', async () => {
    const accounts = Array.from({ length: 5 }, () => service.account());
    await setFaults(service, { directoryIsDown: true });
    for (const account of accounts) {
      const { id } = await account.create('customers', VALID_BODY.customers);
      await account.create('orders', VALID_BODY.orders);
      expect((await account.patch(`/customers/${id}`, { location: 'Ilala' })).status).toBe(200);
      expect((await account.get('/customers')).json.data).toHaveLength(1);
      expect((await account.get('/payments')).json.data).toHaveLength(1);
    }
    const audit = await createFor(service.operator, accounts[0]?.subject ?? '', 'team');
    const view = await service.operator.get('/admin/overview');
    expect([view.status, view.json.error?.code]).toEqual([500, 'INTERNAL_ERROR']);

    await setFaults(service, { directoryIsDown: false });
    await eventually(async () => {
      const counts = await Promise.all(accounts.map(({ subject }) => counted(service, subject)));
      expect(counts).toEqual([3, 2, 2, 2, 2]);
      expect(await audited(service, accounts[0]?.subject ?? '')).toEqual([audit.id]);
    });
  });

  it('receives the commits of a killed object by its alarm alone, and after a restart of the runtime', async () => {
    const account = service.account();
    await setFaults(service, { directoryIsDown: true });
    await account.create('businesses', { businessName: 'Kivuko Salon' });
    const event = await createFor(service.operator, account.subject, 'team');
    await killObject(service, account.subject);
    const before = await setFaults(service, { directoryIsDown: false });
    await eventually(async () => {
      expect(await counted(service, 'kivuko salon')).toBe(2);
      expect(await audited(service, account.subject)).toEqual([event.id]);
    });
    expect((await setFaults(service)).accountCalls).toBe(before.accountCalls);
    await setFaults(service, { directoryIsDown: true });
    await account.create('team', VALID_BODY.team);
    await service.restart();
    await eventually(async () => expect(await counted(service, account.subject)).toBe(3));
  });
});

onHost(FAULTY_WORKER, 'A delivery to the directory', (service) => {
  it('that comes twice, or late, changes nothing', async () => {
    const account = service.account();
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) {
      ids.unshift((await createFor(service.operator, account.subject, 'team')).id);
    }
    await service.operator.delete(tenantPath(account.subject, 'team', ids[0] ?? ''));
    const look = async () => {
      const texts = [];
      for (const view of ['overview', 'usage', 'accounts', 'audit']) {
        texts.push((await service.operator.get(`/admin/${view}`)).json.data);
      }
      return texts;
    };
    const before = await look();
    expect(await audited(service, account.subject)).toEqual([ids[0], ...ids]);
    // Late: earlier states after the last one. Twice: the last one again.
    for (const but of [1, 2, 0, 0]) {
      await deliverAgain(service, account.subject, but);
      expect(await look()).toEqual(before);
    }
  });

  it('is not made for a read', async () => {
    const account = service.account();
    const { id } = await createFor(service.operator, account.subject, 'customers');
    const before = await setFaults(service);
    for (const path of ['/customers', `/customers/${id}`, '/customers?q=a', '/payments']) {
      expect((await account.get(path)).status).toBe(200);
    }
    expect((await account.get('/customers/CUS-9999')).status).toBe(404);
    const after = await setFaults(service);
    expect(after.accountCalls).toBe(before.accountCalls + 5);
    expect(after.directoryCalls).toBe(before.directoryCalls);
  });

  it('of an account that was set back while the directory was down contains every audit event', async () => {
    const account = service.account();
    const events: string[] = [];
    for (const _ of [1, 2, 3]) {
      events.unshift((await createFor(service.operator, account.subject, 'team')).id);
    }
    await eventually(async () => expect(await audited(service, account.subject)).toEqual(events));
    await setFaults(service, { directoryIsDown: true });
    await service.restartChanged(
      account,
      'delete from records where position > (select min(position) from records)',
      'delete from audit_events where id > 1',
      'delete from sequences',
      'update outbox set revision = 0, delivered_revision = 1, delivered_event = 1',
    );
    await setFaults(service, { directoryIsDown: true });
    // More commits than were undone: the numbers of events and revisions catch up.
    const later: string[] = [];
    for (const _ of [1, 2, 3, 4, 5]) {
      later.unshift((await createFor(service.operator, account.subject, 'orders')).id);
    }
    await setFaults(service, { directoryIsDown: false });
    await eventually(async () => {
      expect(await counted(service, account.subject)).toBe(6);
      expect(await audited(service, account.subject)).toEqual([...later, ...events]);
    });
  });
});

onHost(FAULTY_WORKER, 'A search for accounts', (service) => {
  it('finds a text at any place of a profile that is longer than a row', async () => {
    const account = service.account();
    // Pieces of 500,000 characters share 20,000: these stand around every border.
    const places = [100, 479_990, 480_010, 499_990, 959_980, 979_980];
    const note = Array.from({ length: 990_000 / 10 }, () => 'x'.repeat(10));
    for (const [i, place] of places.entries()) note[place / 10] = `NEEDLE-${i}-<`;
    await createFor(service.operator, account.subject, 'businesses', { note: note.join('') });
    for (const [i] of places.entries()) {
      await eventually(async () => expect(await counted(service, `needle-${i}-`)).toBe(1));
    }
    expect(await counted(service, 'needle-9-')).toBeUndefined();
    const long = `${'x'.repeat(7_000)}needle-3-<${'x'.repeat(7_000)}`;
    expect(await counted(service, long)).toBe(1);
    expect(await counted(service, `${long}y`)).toBeUndefined();
  });
});

describe.each([
  ['/admin/overview', { tenant_count: 1, record_count: SAMPLE_COUNT }],
  ['/admin/usage', { record_count: SAMPLE_COUNT }],
  ['/admin/accounts', [{ owner_sub: 'local-preview', record_count: SAMPLE_COUNT }]],
])('As the first request, %s', (path, wanted) => {
  onHost(FAULTY_WORKER, 'to a new deployment', (service) => {
    it('shows the sample account, and makes no other object', async () => {
      expect((await service.operator.get(path)).json.data).toMatchObject(wanted);
      const samples = objectDatabase(service.folder, 'ACCOUNTS', 'local-preview');
      const objects = (await readdir(dirname(samples))).filter((name) =>
        /^[0-9a-f]{64}\.sqlite$/.test(name),
      );
      expect(objects).toEqual([basename(samples)]);
    });
  });
});

onHost(FAULTY_WORKER, 'An account that never wrote', (service) => {
  const tables = (owner: string) =>
    runSql(
      objectDatabase(service.folder, 'ACCOUNTS', owner),
      "select name from sqlite_schema where name not like '\\_cf\\_%' escape '\\'",
    );

  it('has no table and no place in the directory, after any kind of request', async () => {
    const account = service.account();
    for (const path of ['/customers', '/customers/CUS-0001', '/payments', '/orders?q=x']) {
      await account.get(path);
    }
    await account.patch('/customers/CUS-0001', {});
    await account.delete('/customers/CUS-0001');
    await account.post('/customers', {});
    await service.operator.get(tenantPath(account.subject));
    expect(await counted(service, account.subject)).toBeUndefined();
    const writer = service.account();
    await writer.create('team', VALID_BODY.team);
    await service.restart();
    expect(await tables(account.subject)).toEqual([]);
    expect(await tables(writer.subject)).not.toEqual([]);
  });
});
