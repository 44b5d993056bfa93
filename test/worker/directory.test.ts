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

/** The ids of the records that the operator changed, the newest first. */
async function audited({ operator }: ContractService, owner: string): Promise<string[]> {
  type Event = Record<'owner_sub' | 'record_id', string>;
  const events: Event[] = (await operator.get('/admin/audit?page_size=200')).json.data;
  return events.filter(({ owner_sub }) => owner_sub === owner).map(({ record_id }) => record_id);
}

/** Creates records as the operator; resolves with their ids, the newest first. */
async function createdFor(service: ContractService, owner: string, count: number) {
  const ids: string[] = [];
  for (let i = 0; i < count; i++)
    ids.unshift((await createFor(service.operator, owner, 'team')).id);
  return ids;
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
    const [first = ''] = accounts.map(({ subject }) => subject);
    const ids = await createdFor(service, first, 1);
    const view = await service.operator.get('/admin/overview');
    expect([view.status, view.json.error?.code]).toEqual([500, 'INTERNAL_ERROR']);
    await setFaults(service, { directoryIsDown: false });
    await eventually(async () => {
      const counts = await Promise.all(accounts.map(({ subject }) => counted(service, subject)));
      expect(counts).toEqual([3, 2, 2, 2, 2]);
      expect(await audited(service, first)).toEqual(ids);
    });
  });

  it('receives the commits of a killed object by its alarm alone, and after a restart of the runtime', async () => {
    const account = service.account();
    await setFaults(service, { directoryIsDown: true });
    await account.create('businesses', { businessName: 'Kivuko Salon' });
    const ids = await createdFor(service, account.subject, 1);
    await killObject(service, account.subject);
    const before = await setFaults(service, { directoryIsDown: false });
    await eventually(async () => {
      expect(await counted(service, 'kivuko salon')).toBe(2);
      expect(await audited(service, account.subject)).toEqual(ids);
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
    const { subject } = service.account();
    const ids = await createdFor(service, subject, 3);
    await service.operator.delete(tenantPath(subject, 'team', ids[0] ?? ''));
    const look = () =>
      Promise.all(
        ['overview', 'usage', 'accounts', 'audit'].map(
          async (view) => (await service.operator.get(`/admin/${view}`)).json.data,
        ),
      );
    const before = await look();
    expect(await audited(service, subject)).toEqual([ids[0], ...ids]);
    // Late: earlier states after the last one. Twice: the last one again.
    for (const but of [1, 2, 0, 0]) {
      await deliverAgain(service, subject, but);
      expect(await look()).toEqual(before);
    }
  });

  it('of an account that was set back while the directory was down contains every audit event', async () => {
    const account = service.account();
    const { subject } = account;
    const ids = await createdFor(service, subject, 3);
    await eventually(async () => expect(await audited(service, subject)).toEqual(ids));
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
    const later = await createdFor(service, subject, 5);
    await setFaults(service, { directoryIsDown: false });
    await eventually(async () => {
      expect(await counted(service, subject)).toBe(6);
      expect(await audited(service, subject)).toEqual([...later, ...ids]);
    });
  });

  it('brings a profile that is longer than a row, and a search finds a text at any place of it', async () => {
    const { subject } = service.account();
    // Pieces of 500,000 characters share 20,000: these stand around every border.
    const places = [100, 479_990, 480_010, 499_990, 959_980, 979_980];
    const note = Array.from({ length: 990_000 / 10 }, () => 'x'.repeat(10));
    for (const [i, place] of places.entries()) note[place / 10] = `NEEDLE-${i}-<`;
    await createFor(service.operator, subject, 'businesses', { note: note.join('') });
    for (const [i] of places.entries()) {
      await eventually(async () => expect(await counted(service, `needle-${i}-`)).toBe(1));
    }
    expect(await counted(service, 'needle-9-')).toBeUndefined();
    const long = `${'x'.repeat(7_000)}needle-3-<${'x'.repeat(7_000)}`;
    expect(await counted(service, long)).toBe(1);
    expect(await counted(service, `${long}y`)).toBeUndefined();
  });

  it('is made neither for a read nor by an account that never wrote, which has no table either', async () => {
    const account = service.account();
    const { id } = await createFor(service.operator, account.subject, 'customers');
    const other = service.account();
    const before = await setFaults(service);
    for (const path of ['', `/${id}`, '?q=a', '/CUS-9999']) await account.get(`/customers${path}`);
    for (const path of ['/customers', '/customers/CUS-0001', '/payments']) await other.get(path);
    await other.patch('/customers/CUS-0001', {});
    await other.delete('/customers/CUS-0001');
    await other.post('/customers', {});
    const after = await setFaults(service);
    expect(after.accountCalls).toBeGreaterThanOrEqual(before.accountCalls + 9);
    expect(after.directoryCalls).toBe(before.directoryCalls);
    expect(await counted(service, other.subject)).toBeUndefined();
    await service.restart();
    const names = "select name from sqlite_schema where name not like '\\_cf\\_%' escape '\\'";
    const file = objectDatabase(service.folder, 'ACCOUNTS', other.subject);
    expect(await runSql(file, names)).toEqual([]);
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
      const files = await readdir(dirname(samples));
      const objects = files.filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
      expect(objects).toEqual([basename(samples)]);
    });
  });
});
