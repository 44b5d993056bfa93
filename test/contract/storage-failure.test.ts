// Contract, "Errors": "persisting a create/update/delete failed" is 500, and
// "each successful write is committed to durable storage before the in-memory
// copy changes". Triggers in the database cause the failures.

import { expect, it } from 'vitest';
import { createFor, idsOf, tenantPath } from '../support/admin-paths.js';
import { COLLECTIONS, sequenceOfId, VALID_BODY } from '../support/collection-table.js';
import {
  type Caller,
  type ContractService,
  onEveryHost,
  onEveryStorage,
  type Reply,
} from '../support/contract.js';

const REFUSED = 'refuse-me';

/** An upsert fires the triggers of an insert first, so one trigger serves create and PATCH. */
const REFUSE_PUT = `create trigger if not exists refuse_put before insert on records
  when new.body like '%${REFUSED}%' begin select raise(abort, 'injected'); end`;
const REFUSE_DELETE = `create trigger if not exists refuse_delete before delete on records
  when old.body like '%keep-me%' begin select raise(abort, 'injected'); end`;
const REFUSE_EVENT = `create trigger if not exists refuse_event before insert on audit_events
  when new.event like '%not-audited%' begin select raise(abort, 'injected'); end`;

function expectStorageFailure({ status, json }: Reply): void {
  expect(status).toBe(500);
  expect(json.error?.code).toBe('STORAGE_FAILED');
  // The cause is in the log and not in the answer.
  expect(json.error?.message).not.toMatch(/injected|sqlite/i);
  // Storage refused it as a whole, so no operator has to intervene.
  expect(json.error?.message).toMatch(/nothing was changed; try again$/);
}

/** Everything that an account's requests show, in order. */
async function everything({ operator }: ContractService, account: Caller) {
  const texts: unknown[] = [];
  for (const path of ['/customers', '/customers?q=e', '/payments']) {
    const { data, meta } = (await account.get(path)).json;
    texts.push(data, meta.pagination);
  }
  texts.push((await operator.get('/admin/overview')).json.data);
  texts.push((await operator.get('/admin/usage')).json.data);
  texts.push((await operator.get(tenantPath(account.subject))).json.data);
  texts.push((await operator.get('/admin/audit')).json.data);
  return texts;
}

/** Gives a new account a database that refuses marked records. */
async function plantTriggers(service: ContractService, account: Caller): Promise<void> {
  const { id } = await account.create('team', VALID_BODY.team);
  await account.delete(`/team/${id}`);
  await service.restartChanged(account, REFUSE_PUT, REFUSE_DELETE, REFUSE_EVENT);
}

onEveryHost('Storage failure', (service) => {
  /** Planted once, for tests that look at no other test's collection. */
  let shared: Promise<Caller> | undefined;
  const sharedAccount = () => {
    const plant = async () => {
      const account = service.account();
      await plantTriggers(service, account);
      return account;
    };
    shared ??= plant();
    return shared;
  };

  it('fails a create, a PATCH and a DELETE with 500 and changes nothing, in memory or on disk', async () => {
    const account = service.account();
    await plantTriggers(service, account);
    const path = tenantPath(account.subject, 'customers');
    const kept = await createFor(service.operator, account.subject, 'customers', {
      name: 'keep-me',
      phone: '1',
    });
    const before = await everything(service, account);

    expectStorageFailure(await account.post('/customers', { name: REFUSED, phone: '1' }));
    expectStorageFailure(await account.patch(`/customers/${kept.id}`, { name: REFUSED }));
    expectStorageFailure(await account.delete(`/customers/${kept.id}`));
    expectStorageFailure(await service.operator.post(path, { name: REFUSED, phone: '1' }));
    expectStorageFailure(await service.operator.patch(`${path}/${kept.id}`, { name: REFUSED }));
    expectStorageFailure(await service.operator.delete(`${path}/${kept.id}`));

    expect((await account.get(`/customers/${kept.id}`)).json.data).toEqual(kept);
    expect(await everything(service, account)).toEqual(before);
    await service.restart();
    expect(await everything(service, account)).toEqual(before);
  });

  it.each(COLLECTIONS)('fails every change of %s in the same way', async (name) => {
    const account = await sharedAccount();
    const kept = await account.create(name, { ...VALID_BODY[name], note: 'keep-me' });
    const tenant = tenantPath(account.subject, name);
    for (const [caller, path] of [
      [account, `/${name}`],
      [service.operator, tenant],
    ] as const) {
      expectStorageFailure(await caller.post(path, { ...VALID_BODY[name], note: REFUSED }));
      expectStorageFailure(await caller.patch(`${path}/${kept.id}`, { note: REFUSED }));
      expectStorageFailure(await caller.delete(`${path}/${kept.id}`));
    }
    expect((await account.get(`/${name}`)).json.data).toEqual([kept]);
  });

  it('does not give the id of a failed create to another record', async () => {
    const account = await sharedAccount();
    const before = await account.create('customers', VALID_BODY.customers);
    expectStorageFailure(await account.post('/customers', { name: REFUSED, phone: '1' }));
    const after = await account.create('customers', VALID_BODY.customers);
    expect(sequenceOfId(after.id)).toBe(sequenceOfId(before.id) + 2);
  });

  it('answers each of many concurrent writes according to what was stored', async () => {
    const account = service.account();
    await plantTriggers(service, account);
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        account.post('/customers', { name: i % 7 === 3 ? REFUSED : 'fine', phone: String(i) }),
      ),
    );
    const stored = replies.filter(({ status }) => status === 201).map(({ json }) => json.data);
    for (const reply of replies) if (reply.status !== 201) expectStorageFailure(reply);
    const list = async () => (await account.get('/customers?page_size=100')).json.data;
    const byId = (a: { id: string }, b: { id: string }) => sequenceOfId(b.id) - sequenceOfId(a.id);
    expect(await list()).toEqual(stored.toSorted(byId));
    await service.restart();
    expect(await list()).toEqual(stored.toSorted(byId));
  });
});

onEveryStorage('Storage that fails for some writes', (service) => {
  it('stores later writes durably after a failure', async () => {
    const account = service.account();
    await plantTriggers(service, account);
    const first = await account.create('customers', VALID_BODY.customers);
    for (let round = 0; round < 3; round++) {
      expectStorageFailure(await account.post('/customers', { name: REFUSED, phone: '1' }));
      await account.create('customers', VALID_BODY.customers);
    }
    const patched = await account.patch(`/customers/${first.id}`, { name: 'Patched' });
    expect(patched.status).toBe(200);
    const all = (await account.get('/customers')).json.data;
    expect(all).toHaveLength(4);
    expect(all[3]).toEqual(patched.json.data);
    await service.restart();
    expect((await account.get('/customers')).json.data).toEqual(all);
  });

  it('keeps a change whose audit event alone cannot be written', async () => {
    const account = service.account(`not-audited-${service.account().subject}`);
    await plantTriggers(service, account);
    const owner = account.subject;
    const events = async () => (await service.operator.get('/admin/audit')).json.data;
    const before = await events();
    const gone = await createFor(service.operator, owner, 'customers');
    const kept = await createFor(service.operator, owner, 'customers');
    const path = tenantPath(owner, 'customers');
    const patched = await service.operator.patch(`${path}/${kept.id}`, { name: 'Patched' });
    expect(patched.status).toBe(200);
    expect((await service.operator.delete(`${path}/${gone.id}`)).status).toBe(200);
    const look = async () => (await service.account(owner).get('/customers')).json.data;
    expect(await look()).toEqual([patched.json.data]);
    expect(await events()).toEqual(before);
    await service.restart();
    expect(await look()).toEqual([patched.json.data]);

    const audited = await createFor(service.operator, service.account().subject, 'customers');
    expect((await events())[0].record_id).toBe(audited.id);
    expect(idsOf(await service.account(owner).get('/customers'))).toEqual([kept.id]);
  });
});
