// Contract, "Errors": "persisting a create/update/delete failed" is 500, and "each successful write
// is committed to durable storage before the in-memory copy changes". On the server: node/secrets,
// on Workers: worker/service-object.

import { beforeAll, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/core/domain/api-schema.js';
import { COLLECTIONS, sequenceOfId, VALID_BODY } from '../support/collection-table.js';
import {
  createFor,
  describeContract,
  expectError,
  idsOf,
  type Reply,
  tenantPath,
} from '../support/contract.js';
import { MARKS } from '../support/failing-writes.js';

const MARKED = { name: MARKS.put, phone: '1' };

function expectStorageFailure(reply: Reply): void {
  expectError(reply, 500, 'STORAGE_FAILED');
  // The cause is in the log and not in the response.
  expect(reply.json.error?.message).not.toMatch(/injected|sqlite/i);
  // Storage refused it as a whole, so no operator has to intervene.
  expect(reply.json.error?.message).toMatch(/nothing was changed; try again$/);
}

describeContract('If storage fails for some writes,', (service, host) => {
  beforeAll(() => service.restart(host.failMarkedWrites));

  it.each(COLLECTIONS)(
    'a failed change of %s is 500 and changes nothing, in memory or on disk',
    async (name) => {
      const account = service.account();
      const body = { ...VALID_BODY[name], note: MARKS.removal };
      const kept = await createFor(service.operator, account.subject, name, body);
      /** Everything that requests can read, in order. */
      const everything = async () => {
        const own = await Promise.all([`/${name}`, `/${name}?q=e`, '/payments'].map(account.get));
        const views = ['/admin/overview', '/admin/usage', '/admin/audit'];
        const paths = [...views, tenantPath(account.subject)];
        const seen = await Promise.all(paths.map(service.operator.get));
        return [...own, ...seen].map(({ json }) => [json.data, json.meta.pagination]);
      };
      const before = await everything();
      for (const [caller, path] of [
        [account, `/${name}`],
        [service.operator, tenantPath(account.subject, name)],
      ] as const) {
        expectStorageFailure(await caller.post(path, { ...body, note: MARKS.put }));
        expectStorageFailure(await caller.patch(`${path}/${kept.id}`, { note: MARKS.put }));
        expectStorageFailure(await caller.delete(`${path}/${kept.id}`));
      }
      expect(await everything()).toEqual(before);
      await service.restart();
      expect(await everything()).toEqual(before);
    },
  );

  it('a failed create uses up its id', async () => {
    const account = service.account();
    const before = await account.create('customers', VALID_BODY.customers);
    expectStorageFailure(await account.post('/customers', MARKED));
    const after = await account.create('customers', VALID_BODY.customers);
    expect(sequenceOfId(after.id)).toBe(sequenceOfId(before.id) + 2);
  });

  it('each of many concurrent writes gets the response for what was stored, and later ones succeed', async () => {
    const account = service.account();
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        account.post('/customers', i % 7 === 3 ? MARKED : { name: 'fine', phone: String(i) }),
      ),
    );
    const stored = replies.filter(({ status }) => status === 201).map(({ json }) => json.data);
    for (const reply of replies) if (reply.status !== 201) expectStorageFailure(reply);
    stored.push(await account.create('customers', VALID_BODY.customers));
    const list = async () => (await account.get('/customers?page_size=100')).json.data;
    const newestFirst = stored.toSorted((a, b) => sequenceOfId(b.id) - sequenceOfId(a.id));
    expect(await list()).toEqual(newestFirst);
    await service.restart();
    expect(await list()).toEqual(newestFirst);
  });

  it('a change is kept if only its audit event cannot be written', async () => {
    const account = service.account(`${MARKS.event}-${service.account().subject}`);
    const owner = account.subject;
    const events = async () => (await service.operator.get<AuditEvent[]>('/admin/audit')).json.data;
    const before = await events();
    const gone = await createFor(service.operator, owner, 'customers');
    const kept = await createFor(service.operator, owner, 'customers');
    const path = tenantPath(owner, 'customers');
    const patched = await service.operator.patch(`${path}/${kept.id}`, { name: 'Patched' });
    expect(patched.status).toBe(200);
    expect((await service.operator.delete(`${path}/${gone.id}`)).status).toBe(200);
    const list = async () => (await account.get('/customers')).json.data;
    expect(await list()).toEqual([patched.json.data]);
    expect(await events()).toEqual(before);
    await service.restart();
    expect(await list()).toEqual([patched.json.data]);

    const audited = await createFor(service.operator, service.account().subject, 'customers');
    expect((await events())[0]?.record_id).toBe(audited.id);
    expect(idsOf(await account.get('/customers'))).toEqual([kept.id]);
  });
});
