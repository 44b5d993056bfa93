// Contract, "What the service does": "a restart reloads persisted records", and "Identifiers": the
// next number is "derived from stored IDs at start-up". Rows without an owner and non-standard ids
// are older data.

import { expect, it } from 'vitest';
import type { AccountSummary, Overview, Usage } from '../../src/core/domain/api-schema.js';
import { COLLECTIONS, sequenceOfId, VALID_BODY } from '../support/collection-table.js';
import { describeContract, idsOf, type JsonRecord, tenantPath } from '../support/contract.js';

type Row = JsonRecord & { id: string };

const ODD_IDS = [
  ...['old-1', 'CUS-', 'CUS-12x', 'cus-90001', 'ORD-90002', 'CUS--90003', 'CUS-1e9', '__proto__'],
  ...['CUS-90004.0', 'CUS-99999999999999999999', 'a/b c', '🧵'],
];

/** Properties that a less careful storage would lose. */
const FRAIL = JSON.parse('{"__proto__":{"a":1},"n\\u0000":"\\ud800","b":[{}],"a":{"2":0,"1":0}}');

/** SQL that stores a row as an earlier program may have stored it. */
function plant(collection: string, body: Row): string {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return `insert into records (collection, id, body, created_at, updated_at) values
    (${quote(collection)}, ${quote(body.id)}, ${quote(JSON.stringify(body))}, 1, 1)`;
}

describeContract('A restart', (service) => {
  it("leaves lists, payments, searches and the operator's views the same, byte for byte", async () => {
    const account = service.account();
    for (const name of COLLECTIONS) {
      const ids: string[] = [];
      for (const text of ['Ñ 🧵 \u2028', 'NUL \u0000 half \ud83d', 'third', 'deleted']) {
        const body = { ...VALID_BODY[name], ...FRAIL, text };
        ids.push((await account.create(name, body)).id);
      }
      await account.patch(`/${name}/${ids[1]}`, { text: 'patched', more: null });
      await account.delete(`/${name}/${ids[3]}`);
    }
    const look = async () => {
      const lists = COLLECTIONS.flatMap((name) => [`/${name}`, `/${name}?q=%C3%B1&page_size=2`]);
      const views = ['/overview', '/usage', `/accounts/${account.subject}`];
      const replies = [
        ...[...lists, '/payments'].map(account.get),
        ...views.map((path) => service.operator.get(`/admin${path}`)),
      ];
      return (await Promise.all(replies)).map(({ text }) => text.replace(/"meta":\{[^}]*/, ''));
    };
    const before = await look();
    const team = idsOf(await account.get('/team'));
    await service.restart();
    expect(await look()).toEqual(before);
    const newest = await account.create('team', VALID_BODY.team);
    expect(idsOf(await account.get('/team'))).toEqual([newest.id, ...team]);
  });
});

describeContract(
  'Stored rows of an earlier program',
  (service) => {
    const restartWith = (...rows: (readonly [collection: string, body: Row])[]) =>
      service.restartChanged(...rows.map((row) => plant(...row)));

    it('without an owner are counted, and no account can read them', async () => {
      const person = { name: 'Legacy Person', phone: '1' };
      const rows: Row[] = [
        { id: 'CUS-L1', ...person },
        { id: 'CUS-L2', ...person, owner_sub: null },
        { id: 'CUS-L3', ...person, owner_sub: '' },
        { id: 'CUS-L4', ...person, ownerSub: 'local-preview' },
        { id: 'CUS-L5', ...person, owner_sub: 7 },
      ];
      const samples = service.account('local-preview');
      await samples.get('/customers');
      const before = (await service.operator.get<Overview>('/admin/overview')).json.data;
      const usage = (await service.operator.get<Usage>('/admin/usage')).json.data;
      await restartWith(...rows.map((row) => ['customers', row] as const));

      for (const subject of ['local-preview', 'null', 'undefined', '7']) {
        const account = service.account(subject);
        expect((await account.get('/customers?q=legacy')).json.data).toEqual([]);
        for (const { id } of rows) {
          const statuses = [
            await account.get(`/customers/${id}`),
            await account.patch(`/customers/${id}`, {}),
            await account.patch(`/customers/${id}`, { name: null }),
            await account.delete(`/customers/${id}`),
            await service.operator.get(tenantPath(subject, 'customers', id)),
            await service.operator.delete(tenantPath(subject, 'customers', id)),
          ].map(({ status }) => status);
          expect([id, ...statuses]).toEqual([id, 404, 404, 404, 404, 404, 404]);
        }
      }
      const { customers } = before.resources;
      expect((await service.operator.get<Overview>('/admin/overview')).json.data).toEqual({
        tenant_count: before.tenant_count,
        record_count: before.record_count + rows.length,
        resources: { ...before.resources, customers: customers + rows.length },
      });
      const after = (await service.operator.get<Usage>('/admin/usage')).json.data;
      const bytes = rows.reduce((sum, row) => sum + JSON.stringify(row).length, 0);
      expect(after.record_count).toBe(usage.record_count + rows.length);
      expect(after.payload_bytes).toBe(usage.payload_bytes + bytes);
      const accounts = (
        await service.operator.get<AccountSummary[]>('/admin/accounts?page_size=200')
      ).json.data;
      expect(accounts).toHaveLength(before.tenant_count);
      expect((await service.operator.get('/admin/accounts?q=legacy')).json.data).toEqual([]);
    });

    it('with non-standard ids are kept and do not affect the next id', async () => {
      const account = service.account();
      const last = await account.create('customers', VALID_BODY.customers);
      const odd = { owner_sub: account.subject, name: 'Odd', phone: '1' };
      const rows = ODD_IDS.map((id) => ({ id, ...odd }));
      await restartWith(...rows.map((row) => ['customers', row] as const));

      const next = await account.create('customers', VALID_BODY.customers);
      expect(sequenceOfId(next.id)).toBe(sequenceOfId(last.id) + 1);
      expect(idsOf(await account.get('/customers'))).toEqual([
        next.id,
        ...ODD_IDS.toReversed(),
        last.id,
      ]);
      for (const row of rows) {
        const path = `/customers/${encodeURIComponent(row.id)}`;
        expect((await account.get(path)).json.data).toEqual(row);
        const patched = await account.patch(path, { name: 'Even' });
        expect(patched.json.data).toEqual({ ...row, name: 'Even' });
        expect((await account.delete(path)).json.data).toEqual({ id: row.id, deleted: true });
      }
      expect(idsOf(await account.get('/customers'))).toEqual([next.id, last.id]);
    });

    it("that break today's rules can be read, and corrected by a PATCH", async () => {
      const account = service.account();
      await account.create('services', VALID_BODY.services);
      const row = { id: 'SRV-old', owner_sub: account.subject, name: '', price: 'free' };
      await restartWith(['services', row]);
      const read = () => account.get('/services/SRV-old');
      expect((await service.withoutDocument(read)).json.data).toEqual(row);
      expect((await account.patch('/services/SRV-old', { name: 'Hem' })).status).toBe(422);
      // No create defaults here: the document requires them only of records created by the service.
      const mend = () => account.patch('/services/SRV-old', { name: 'Hem', price: 1 });
      const mended = await service.withoutDocument(mend);
      expect(mended.json.data).toEqual({ ...row, name: 'Hem', price: 1 });
    });
  },
  { ownService: true },
);
