// Contract, "GET /admin/audit": the events of the operator's changes. "Record
// values are never stored."

import { expect, it } from 'vitest';
import { createFor, idsOf, pagination, tenantPath } from '../support/admin-paths.js';
import { COLLECTIONS, VALID_BODY } from '../support/collection-table.js';
import { type ContractService, describeContract, type Envelope } from '../support/contract.js';

async function audit({ operator }: ContractService, query = ''): Promise<Envelope> {
  return (await operator.get(`/admin/audit${query}`)).json;
}

async function auditTotal(service: ContractService): Promise<number> {
  return (await audit(service)).meta.pagination.total;
}

describeContract(
  'Audit log',
  (service) => {
    const { operator } = service;

    it('is empty in a new database', async () => {
      expect(await audit(service)).toMatchObject({
        data: [],
        meta: { pagination: pagination(1, 50, 0, 0) },
      });
    });

    it.each(COLLECTIONS)('keeps one event of each change in %s, newest first', async (resource) => {
      const owner = service.account().subject;
      const before = await auditTotal(service);
      const start = Date.now();
      const { id } = await createFor(operator, owner, resource, {
        ...VALID_BODY[resource],
        x: 1,
      });
      const path = tenantPath(owner, resource, id);
      await operator.patch(path, { x: 2, y: 3 });
      await operator.delete(path);
      const end = Date.now();
      const { data, meta } = await audit(service);
      expect(meta.pagination.total).toBe(before + 3);
      const event = { actor: 'admin', resource, record_id: id, owner_sub: owner };
      const rest = { id: expect.any(Number), timestamp: expect.any(String) };
      expect(data.slice(0, 3)).toEqual([
        { ...event, ...rest, action: 'delete', changed: [] },
        { ...event, ...rest, action: 'update', changed: ['x', 'y'] },
        {
          ...event,
          ...rest,
          action: 'create',
          changed: [...Object.keys(VALID_BODY[resource]), 'x'],
        },
      ]);
      for (const { timestamp } of data.slice(0, 3)) {
        expect(timestamp).toBe(new Date(timestamp).toISOString());
        expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(start);
        expect(Date.parse(timestamp)).toBeLessThanOrEqual(end);
      }
      expect(new Set(data.map((row: { id: number }) => row.id)).size).toBe(data.length);
    });

    it.each([
      [{ id: 'X', owner_sub: 'Y', name: 'A', phone: '1' }, ['name', 'phone']],
      [{ phone: '1', name: 'A', ownerSub: 'extra' }, ['phone', 'name', 'ownerSub']],
      [{ name: 'A', phone: '1', 'Ñ 🧵 "quoted"': 1 }, ['name', 'phone', 'Ñ 🧵 "quoted"']],
    ])(
      'lists the properties of a create that the caller sent, not those that the server set: %j',
      async (body, changed) => {
        await createFor(operator, service.account().subject, 'customers', body);
        expect((await audit(service)).data[0].changed).toEqual(changed);
      },
    );

    it.each([
      ['import-7f3a', 'import-7f3a'],
      ['two words', undefined],
      ['x'.repeat(65), undefined],
    ])('keeps the import or erasure %j that the request names as %j', async (sent, run) => {
      const owner = service.account().subject;
      const path = tenantPath(owner, 'customers');
      const headers = { 'X-Service-Run': sent };
      await operator.send('POST', path, { headers, body: VALID_BODY.customers });
      expect((await audit(service)).data[0].run).toBe(run);
    });

    it('does not list defaults and `ownerSub` as changed by a create', async () => {
      const owner = service.account().subject;
      await createFor(operator, owner, 'orders');
      expect((await audit(service)).data[0].changed).toEqual(['customer', 'service', 'amount']);
      await createFor(operator, owner, 'businesses', { ownerSub: 'x', businessName: 'A' });
      expect((await audit(service)).data[0].changed).toEqual(['businessName']);
    });

    it.each([
      ['a property set to what it was', { name: 'Neema', phone: 'new' }, ['phone']],
      ['identity and ownership', { id: 'X', owner_sub: 'Y', ownerSub: 'Z', name: 'B' }, ['name']],
      ['nothing', {}, []],
      ['an added null', { note: null }, ['note']],
      ['a number in place of a text', { kind: 1 }, ['kind']],
      ['the inside of an object', { fields: { a: 1, b: 3 } }, ['fields']],
      ['an equal object', { fields: { a: 1, b: 2 } }, []],
      ['the order of an array', { list: [2, 1] }, ['list']],
      [
        'names that every object has',
        { toString: 'text', constructor: 1 },
        ['toString', 'constructor'],
      ],
    ])('lists the properties of an update whose value differs: %s', async (_, change, changed) => {
      const owner = service.account().subject;
      const { id } = await createFor(operator, owner, 'customers', {
        name: 'Neema',
        phone: '1',
        kind: '1',
        fields: { a: 1, b: 2 },
        list: [1, 2],
      });
      const before = await auditTotal(service);
      expect((await operator.patch(tenantPath(owner, 'customers', id), change)).status).toBe(200);
      const events = (await auditTotal(service)) - before;
      expect(
        events,
        'every PATCH by the operator adds one event, even if it changes no value',
      ).toBe(1);
      expect((await audit(service)).data[0]).toMatchObject({ action: 'update', changed });
    });

    it('names __proto__ like any other property', async () => {
      const path = tenantPath(service.account().subject, 'businesses');
      const { json } = await operator.post(path, '{"__proto__":{"a":1}}');
      expect((await audit(service)).data[0].changed).toEqual(['__proto__']);
      await operator.patch(`${path}/${json.data.id}`, '{"__proto__":{"a":2}}');
      expect((await audit(service)).data[0].changed).toEqual(['__proto__']);
    });

    it("adds no event for an account's own change, for a read or for a failure", async () => {
      const account = service.account();
      const { id } = await createFor(operator, account.subject, 'team');
      const before = await auditTotal(service);
      const own = await account.create('team', VALID_BODY.team);
      await account.patch(`/team/${own.id}`, { role: 'x' });
      await account.delete(`/team/${own.id}`);
      const list = tenantPath(account.subject, 'team');
      for (const path of [
        '/admin/overview',
        '/admin/usage',
        '/admin/audit',
        list,
        `${list}/${id}`,
      ]) {
        expect((await operator.get(path)).status).toBe(200);
      }
      const failures = [
        await operator.post(list, {}),
        await operator.post(list, 'no json'),
        await operator.patch(`${list}/${id}`, { name: '' }),
        await operator.patch(`${list}/TM-9999999`, { name: 'x' }),
        await operator.delete(`${list}/TM-9999999`),
        await service.anonymous.delete(`${list}/${id}`),
      ];
      expect(failures.map(({ status }) => status)).toEqual([422, 400, 422, 404, 404, 401]);
      expect(await auditTotal(service)).toBe(before);
    });

    it('never holds a record value, old, new, refused or deleted', async () => {
      const owner = service.account().subject;
      const canary = 'canary-5c1e';
      const body = { name: canary, phone: canary, deep: { list: [canary] } };
      const { id } = await createFor(operator, owner, 'customers', body);
      const path = tenantPath(owner, 'customers', id);
      await operator.patch(path, { name: `${canary}-2`, deep: canary });
      await operator.patch(path, { name: '', phone: canary });
      await operator.delete(path);
      const { text } = await operator.get('/admin/audit?page_size=200');
      expect(text).toContain(id);
      expect(text).not.toContain(canary);
    });

    it.each(['auth0|1', 'x/y', 'Ñ💇🏾‍♀️ "q" \\'])('names the tenant %j', async (owner) => {
      await createFor(operator, owner, 'team');
      expect((await audit(service)).data[0].owner_sub).toBe(owner);
    });
  },
  { ownService: true },
);

describeContract(
  'Pages of the audit log',
  (service) => {
    const { operator } = service;
    const EVENTS = 203;

    it('has 50 events on a page by default and at most 200, newest first, also after a restart', async () => {
      const owner = service.account().subject;
      await Promise.all(Array.from({ length: EVENTS }, () => createFor(operator, owner, 'team')));
      const first = await audit(service, '?page_size=1000');
      expect(first.meta.pagination).toEqual(pagination(1, 200, EVENTS, 2));
      const second = await audit(service, '?page_size=200&page=2');
      const all = [...first.data, ...second.data];
      const ids = all.map((row: { id: number }) => row.id);
      expect(ids).toEqual(ids.toSorted((a: number, b: number) => b - a));
      expect(new Set(ids).size).toBe(EVENTS);
      const path = tenantPath(owner, 'team');
      const pages = [1, 2].map((page) => operator.get(`${path}?page_size=200&page=${page}`));
      const created = (await Promise.all(pages)).flatMap(idsOf);
      // Creates of one moment are logged in any order.
      expect(all.map((row) => row.record_id).toSorted()).toEqual(created.toSorted());
      expect((await audit(service)).data).toEqual(all.slice(0, 50));
      expect((await audit(service, '?page=3')).data).toEqual(all.slice(100, 150));
      expect((await audit(service, '?page=x&page_size=0')).data).toEqual(all.slice(0, 50));
      expect((await audit(service, '?page=99')).data).toEqual([]);
      expect((await audit(service, '?page=9007199254740991&page_size=200')).data).toEqual([]);
      const digits = '9'.repeat(400);
      const beyond = await audit(service, `?page=${digits}&page_size=${digits}`);
      expect(beyond.data).toEqual([]);
      expect(beyond.meta.pagination).toMatchObject({ page: 9007199254740991, page_size: 200 });

      await service.restart();
      expect((await audit(service, '?page_size=200')).data).toEqual(all.slice(0, 200));
      await createFor(operator, owner, 'team');
      const [latest] = (await audit(service)).data;
      expect(latest.id).toBeGreaterThan(Math.max(...ids));
    });
  },
  { ownService: true },
);
