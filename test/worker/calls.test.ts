// The gateway's calls to an account's object: what fails there becomes an
// envelope here, a read is tried once more where the platform advises it, a write never.

import { expect, it } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { onHost } from '../support/contract.js';
import { FAULTY_WORKER, killObject, setFaults } from './faults.js';

onHost(FAULTY_WORKER, "An account's object that fails", (service) => {
  it('and was lost, as the platform says, is asked once more for a read, and the caller gets a normal answer', async () => {
    const account = service.account();
    const record = await account.create('customers', VALID_BODY.customers);
    for (const path of [`/customers/${record.id}`, '/customers', '/payments']) {
      const before = await setFaults(service, { losses: 1 });
      expect((await account.get(path)).status).toBe(200);
      expect((await setFaults(service)).accountCalls).toBe(before.accountCalls + 2);
    }
  });

  it('is not asked a third time: the answer is 500 in the envelope', async () => {
    const account = service.account();
    const before = await setFaults(service, { losses: 2 });
    const reply = await account.get('/customers');
    expect([reply.status, reply.json.error?.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(reply.json.error?.message).not.toContain('injected');
    expect(reply.json.meta.request_id).toBe(reply.headers.get('x-request-id'));
    expect((await setFaults(service)).accountCalls).toBe(before.accountCalls + 2);
    expect((await account.get('/customers')).status).toBe(200);
  });

  it.each([
    ['the platform says that it has too much to do', { overloads: 1 }],
    ['it failed by an error of its own', { failuresBefore: 1 }],
  ])('is not asked again when %s', async (_, faults) => {
    const account = service.account();
    const before = await setFaults(service, faults);
    const reply = await account.get('/customers');
    expect([reply.status, reply.json.error?.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect((await setFaults(service)).accountCalls).toBe(before.accountCalls + 1);
    expect((await account.get('/customers')).status).toBe(200);
  });

  it.each(['losses', 'failuresBefore', 'failuresAfter'] as const)(
    'is asked once for a write, whose answer is 500 and whose outcome is unknown (%s)',
    async (fault) => {
      const account = service.account();
      const { id } = await account.create('customers', VALID_BODY.customers);
      const done = fault === 'failuresAfter';
      const writes = [
        () => account.post('/customers', VALID_BODY.customers),
        () => account.patch(`/customers/${id}`, { note: 'new' }),
        () => account.delete(`/customers/${id}`),
      ];
      for (const write of writes) {
        const before = await setFaults(service, { [fault]: 1 });
        const { status, json } = await write();
        expect([status, json.error?.code]).toEqual([500, 'STORAGE_FAILED']);
        expect(json.error?.message).toContain('before trying again');
        expect((await setFaults(service)).accountCalls).toBe(before.accountCalls + 1);
      }
      const { data } = (await account.get('/customers')).json;
      const ids = data.map((record: { id: string }) => record.id);
      expect(ids.includes(id)).toBe(!done);
      expect(ids).toHaveLength(1);
    },
  );

  it('and is killed between requests still has every acknowledged write', async () => {
    const account = service.account();
    const ids: string[] = [];
    for (let round = 0; round < 5; round++) {
      ids.unshift((await account.create('team', VALID_BODY.team)).id);
      await killObject(service, account.subject);
    }
    const { data } = (await account.get('/team')).json;
    expect(data.map((record: { id: string }) => record.id)).toEqual(ids);
  });

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
  const RECORDS = 6;
  const NOTE = 'é'.repeat(500_000);

  it('gets through to the caller, and to the operator', async () => {
    const account = service.account();
    for (let i = 0; i < RECORDS; i++) {
      await account.create('orders', { ...VALID_BODY.orders, number: i, customer: NOTE });
    }
    const newestFirst = Array.from({ length: RECORDS }, (_, i) => RECORDS - 1 - i);
    for (const [caller, path] of [
      [account, '/orders?page_size=100'],
      [service.operator, `/admin/accounts/${account.subject}/orders?page_size=200`],
    ] as const) {
      const { json } = await caller.get(path);
      expect(json.meta.pagination.total).toBe(RECORDS);
      const numbers = json.data.map((order: { number: number }) => order.number);
      expect(numbers).toEqual(newestFirst);
      for (const { customer } of json.data) expect(customer === NOTE).toBe(true);
    }
    const payments = (await account.get('/payments')).json.data;
    expect(payments).toHaveLength(RECORDS);
    for (const { customer } of payments) expect(customer === NOTE).toBe(true);
  });
});
