// Rules that hold for every operation, tried on each: authentication, bodies, what the server sets,
// missing records. Other files test each rule in depth.

import { expect, it } from 'vitest';
import { COLLECTION_TABLE } from '../support/collection-table.js';
import {
  type Caller,
  createFor,
  describeContract,
  expectError,
  type Reply,
  tenantPath,
} from '../support/contract.js';
import { type DescribedOperation, OPERATIONS } from '../support/openapi-document.js';

const SIDES = COLLECTION_TABLE.flatMap((row) =>
  ['an account', 'the operator'].map((side) => ({ side, ...row })),
);

/** Sends an operation, with a body if it takes one. */
function sendOperation(caller: Caller, { method, path }: DescribedOperation): Promise<Reply> {
  const filled = path.replace('{owner_sub}', 'somebody').replace('{id}', 'XYZ-0001');
  const takesBody = method === 'POST' || method === 'PATCH';
  return caller.send(method, filled, takesBody ? { body: {} } : {});
}

describeContract('Every operation', (service) => {
  it('except health returns 401 without a token or key', async () => {
    for (const operation of OPERATIONS) {
      if (operation.path === '/health') continue;
      expectError(await sendOperation(service.anonymous, operation), 401, 'UNAUTHORIZED');
    }
  });

  it.each(SIDES)(
    'works for $side on $name, and is refused as documented',
    async ({ side, ...row }) => {
      const { name } = row;
      const account = service.account();
      const isOperator = side === 'the operator';
      const caller = isOperator ? service.operator : account;
      const path = isOperator ? tenantPath(account.subject, name) : `/${name}`;
      expectError(await caller.send('POST', path, { body: '[]' }), 400, 'INVALID_JSON');
      const required = [...row.texts, ...row.numbers];
      if (required.length > 0) {
        expectError(await caller.post(path, {}), 422, 'VALIDATION_FAILED');
      }
      const others = { id: `${row.idPrefix}7777`, owner_sub: 'other', ownerSub: 'other' };
      const created = await caller.post(path, { ...row.body, ...others });
      const { id } = created.json.data;
      expect([created.status, id]).toEqual([201, expect.not.stringMatching(others.id)]);
      expect(id).toMatch(new RegExp(`^${row.idPrefix}[0-9]{${row.idDigitsMin},}$`));
      const owner = account.subject;
      const ownerSub = name === 'businesses' ? owner : 'other';
      const record = { ...row.body, ...row.defaults, id, owner_sub: owner, ownerSub };
      expect(created.json.data).toStrictEqual(record);
      const item = `${path}/${id}`;
      expect((await caller.get(item)).json.data).toStrictEqual(record);
      const newer = await caller.create(path, row.body);
      expectError(await caller.send('PATCH', item, { body: '' }), 400, 'INVALID_JSON');
      for (const property of required) {
        const refused = await caller.patch(item, { [property]: null });
        expectError(refused, 422, 'VALIDATION_FAILED');
      }
      expect((await account.get(`/${name}`)).json.data).toStrictEqual([newer, record]);
      for (const value of ['x', null]) {
        const taken = { id: value, owner_sub: value, ownerSub: value };
        const patched = await caller.patch(item, { ...taken, note: value });
        expect([patched.status, patched.json.data]).toEqual([200, { ...record, note: value }]);
      }
      const now = { ...record, note: null };
      for (const look of [account.get(`/${name}`), caller.get(path)]) {
        expect((await look).json.data).toStrictEqual([newer, now]);
      }
      const deleted = await caller.delete(item);
      expect([deleted.status, deleted.json.data]).toEqual([200, { id, deleted: true }]);
      expect((await account.get(`/${name}`)).json.data).toStrictEqual([newer]);
      expectError(await account.get(`/${name}/${id}`), 404, 'NOT_FOUND');
      for (const answer of [caller.get(item), caller.patch(item, {}), caller.delete(item)]) {
        expectError(await answer, 404, 'NOT_FOUND');
      }
    },
  );

  it('that only reads succeeds for the right kind of caller', async () => {
    await createFor(service.operator, 'somebody', 'businesses');
    const views = OPERATIONS.filter(({ path, method }) => {
      return method === 'GET' && !COLLECTION_TABLE.some(({ name }) => path.includes(name));
    });
    expect(views.length).toBeGreaterThan(6);
    for (const view of views) {
      const caller = view.path.startsWith('/admin') ? service.operator : service.account();
      expect((await sendOperation(caller, view)).status, view.name).toBe(200);
    }
  });
});
