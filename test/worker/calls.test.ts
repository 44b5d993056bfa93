// The gateway's calls to an account's object: what fails there becomes an
// envelope here, a read is tried once more where the platform advises it, a write never.

import { expect, it } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { onHost } from '../support/contract.js';
import { FAULTY_WORKER, killObject, setFaults } from './faults.js';
import type { CallFault } from './faulty-worker.js';

onHost(FAULTY_WORKER, "An account's object that fails", (service) => {
  it.each<[string, CallFault[], number, number]>([
    ['it was lost, as the platform says', ['loss'], 2, 200],
    ['it is lost twice', ['loss', 'loss'], 2, 500],
    ['the platform says that it has too much to do', ['overload'], 1, 500],
    ['it failed by an error of its own', ['before'], 1, 500],
  ])('for a read, because %s: %j is %i calls and %i', async (_, calls, wanted, status) => {
    const account = service.account();
    await account.create('customers', VALID_BODY.customers);
    for (const path of ['/customers/CUS-0001', '/customers', '/payments']) {
      const before = await setFaults(service, { calls });
      const { status: answered, json, headers } = await account.get(path);
      expect(answered).toBe(status);
      expect(json.meta.request_id).toBe(headers.get('x-request-id'));
      expect(json.error?.message ?? '').not.toContain('injected');
      expect((await setFaults(service)).accountCalls).toBe(before.accountCalls + wanted);
    }
  });

  it.each<CallFault>(['loss', 'before', 'after'])(
    'is asked once for a write, whose answer is 500 and whose outcome is unknown (%s)',
    async (fault) => {
      const account = service.account();
      const { id } = await account.create('customers', VALID_BODY.customers);
      for (const write of [
        () => account.post('/customers', VALID_BODY.customers),
        () => account.patch(`/customers/${id}`, { note: 'new' }),
        () => account.delete(`/customers/${id}`),
      ]) {
        const before = await setFaults(service, { calls: [fault] });
        const { status, json } = await write();
        expect([status, json.error?.code]).toEqual([500, 'STORAGE_FAILED']);
        expect(json.error?.message).toContain('before trying again');
        expect((await setFaults(service)).accountCalls).toBe(before.accountCalls + 1);
      }
      const { data } = (await account.get('/customers')).json;
      const left = data.map((record: { id: string }) => record.id);
      expect(left).toEqual([fault === 'after' ? 'CUS-0002' : id]);
    },
  );

  it('and is killed in the middle of requests answers each of them in the envelope, and loses none', async () => {
    const account = service.account();
    await account.create('team', VALID_BODY.team);
    const acknowledged: string[] = [];
    const writers = Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 25; i++) {
        const { status, json } = await account.post('/team', VALID_BODY.team);
        if (status === 201) acknowledged.push(json.data.id);
        else expect([status, json.error?.code]).toEqual([500, 'STORAGE_FAILED']);
      }
    });
    const writing = Promise.all(writers).then(() => false);
    do await killObject(service, account.subject);
    while (await Promise.race([writing, new Promise((next) => setTimeout(() => next(true), 5))]));
    const stored = new Set<string>();
    for (const page of [1, 2, 3]) {
      const { data } = (await account.get(`/team?page_size=100&page=${page}`)).json;
      for (const { id } of data) stored.add(id);
    }
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    expect(acknowledged.length).toBeGreaterThan(0);
  });
});

onHost(FAULTY_WORKER, 'A page of large records', (service) => {
  it('gets through to the caller, and to the operator', async () => {
    const account = service.account();
    const customer = 'é'.repeat(500_000);
    for (let number = 0; number < 6; number++) {
      await account.create('orders', { ...VALID_BODY.orders, number, customer });
    }
    const tenant = `/admin/accounts/${account.subject}/orders?page_size=200`;
    for (const reply of [await account.get('/orders'), await service.operator.get(tenant)]) {
      const rows = reply.json.data as { number: number; customer: string }[];
      expect(rows.map(({ number }) => number)).toEqual([5, 4, 3, 2, 1, 0]);
      expect(rows.every((order) => order.customer === customer)).toBe(true);
    }
    const payments = (await account.get('/payments')).json.data as { customer: string }[];
    expect(payments.map((payment) => payment.customer === customer)).toEqual(Array(6).fill(true));
  });
});
