// Contract, "Admin endpoints": the operator's overview and tenants. The
// property names are those of the project's decisions on administration data.

import { expect, it } from 'vitest';
import { createFor, expectRefused, pagination, tenantPath } from '../support/admin-paths.js';
import { COLLECTIONS, VALID_BODY } from '../support/collection-table.js';
import { type ContractService, describeContract } from '../support/contract.js';
import { eventually } from '../support/eventually.js';

const NOTHING = Object.fromEntries(COLLECTIONS.map((name) => [name, 0]));

async function overview({ operator }: ContractService) {
  return (await operator.get('/admin/overview')).json.data;
}

async function owners({ operator }: ContractService, query = ''): Promise<string[]> {
  const { json } = await operator.get(`/admin/accounts${query}`);
  return json.data.map((row: { owner_sub: string }) => row.owner_sub);
}

describeContract(
  'Admin overview and tenants',
  (service) => {
    const { operator } = service;

    it('counts tenants and stored records, in all and by resource', async () => {
      const before = await overview(service);
      const account = service.account();
      await account.create('customers', VALID_BODY.customers);
      await account.create('customers', VALID_BODY.customers);
      await account.create('orders', VALID_BODY.orders);
      await eventually(async () =>
        expect(await overview(service)).toEqual({
          tenant_count: before.tenant_count + 1,
          record_count: before.record_count + 3,
          resources: {
            ...before.resources,
            customers: before.resources.customers + 2,
            orders: before.resources.orders + 1,
          },
        }),
      );
      expect(Object.keys(before.resources)).toEqual([...COLLECTIONS]);
    });

    it('lists the tenants that have records, with their counts, by owner_sub', async () => {
      const marker = service.account().subject;
      for (const owner of [`${marker}|b`, `${marker}|a`, `${marker}|B`, `${marker}|é`]) {
        await createFor(operator, owner, 'team');
      }
      await createFor(operator, `${marker}|b`, 'businesses');
      const reply = await operator.get(`/admin/accounts?q=${encodeURIComponent(marker)}`);
      expect(reply.status).toBe(200);
      const one = { record_count: 1, resources: { ...NOTHING, team: 1 } };
      expect(reply.json.data).toEqual([
        { owner_sub: `${marker}|B`, ...one },
        { owner_sub: `${marker}|a`, ...one },
        {
          owner_sub: `${marker}|b`,
          record_count: 2,
          resources: { ...NOTHING, businesses: 1, team: 1 },
        },
        { owner_sub: `${marker}|é`, ...one },
      ]);
      expect(reply.json.meta.pagination).toEqual(pagination(1, 50, 4, 1));
    });

    it('finds tenants only by subject and business profile, in upper and lower case', async () => {
      const [first, second] = [service.account(), service.account()];
      await first.create('businesses', { businessName: 'Kitenge Palace Ilala' });
      await first.create('customers', { name: 'Hidden Name', phone: '1' });
      await second.create('team', VALID_BODY.team);
      await eventually(async () => {
        expect(await owners(service, '?q=KITENGE%20palace')).toEqual([first.subject]);
        expect(await owners(service, `?q=${second.subject.toUpperCase()}`)).toEqual([
          second.subject,
        ]);
      });
      expect(await owners(service, '?q=hidden%20name')).toEqual([]);
      expect(await owners(service, '?q=')).toEqual(
        expect.arrayContaining([first.subject, second.subject]),
      );
    });

    it('answers an empty page with total 0 when nothing matches', async () => {
      const { json } = await operator.get('/admin/accounts?q=nobody-is-called-this');
      expect(json.data).toEqual([]);
      expect(json.meta.pagination).toEqual(pagination(1, 50, 0, 0));
    });

    it('treats q as text, not as a pattern', async () => {
      const account = service.account();
      await account.create('businesses', { businessName: '100% (a.b)*' });
      await eventually(async () =>
        expect(await owners(service, `?q=${encodeURIComponent('100% (a.b)*')}`)).toEqual([
          account.subject,
        ]),
      );
      expect(await owners(service, `?q=${encodeURIComponent('100% (axb)*')}`)).toEqual([]);
    });

    it('shows one tenant with counts and business profiles, newest first', async () => {
      const account = service.account();
      const older = await account.create('businesses', { businessName: 'Older' });
      const newer = await account.create('businesses', { businessName: 'Newer' });
      await account.create('expenses', VALID_BODY.expenses);
      const reply = await operator.get(tenantPath(account.subject));
      expect(reply.status).toBe(200);
      expect(reply.json.data).toEqual({
        owner_sub: account.subject,
        record_count: 3,
        resources: { ...NOTHING, businesses: 2, expenses: 1 },
        profiles: [newer, older],
      });
    });

    it('shows a tenant without a business profile with an empty list of profiles', async () => {
      const account = service.account();
      await account.create('team', VALID_BODY.team);
      expect((await operator.get(tenantPath(account.subject))).json.data.profiles).toEqual([]);
    });

    it.each(['nobody', '__proto__', 'constructor', 'x/y', ' '])(
      'answers 404 for %j, which has no records',
      async (owner) => {
        const reply = await operator.get(tenantPath(owner));
        expectRefused(reply, 404, 'NOT_FOUND');
      },
    );

    it('reports the database, the integrations and the uptime', async () => {
      const asked = service.identity.asked.length;
      const reply = await operator.get('/admin/health');
      expect(reply.status).toBe(200);
      expect(reply.json.data).toEqual({
        status: 'ok',
        database: 'ok',
        uptime_seconds: expect.any(Number),
        identity_provider_configured: true,
        admin_configured: true,
      });
      expect(Number.isInteger(reply.json.data.uptime_seconds)).toBe(true);
      expect(reply.json.data.uptime_seconds).toBeGreaterThanOrEqual(0);
      expect(service.identity.asked.length).toBe(asked);
    });
  },
  { ownService: true },
);

describeContract(
  'A tenant whose records are all deleted',
  (service) => {
    const { operator } = service;

    it('removes a tenant from the list with its last record, and not before', async () => {
      const account = service.account();
      const before = await overview(service);
      const customer = await account.create('customers', VALID_BODY.customers);
      const order = await account.create('orders', VALID_BODY.orders);
      await account.delete(`/customers/${customer.id}`);
      const found = () => owners(service, `?q=${account.subject}`);
      await eventually(async () => {
        expect((await overview(service)).record_count).toBe(before.record_count + 1);
        expect(await found()).toEqual([account.subject]);
      });
      await account.delete(`/orders/${order.id}`);
      await eventually(async () => expect(await found()).toEqual([]));
      expect((await operator.get(tenantPath(account.subject))).status).toBe(404);
      expect(await overview(service)).toEqual(before);
      await account.create('team', VALID_BODY.team);
      await eventually(async () => expect(await found()).toEqual([account.subject]));
    });
  },
  { ownService: true },
);

describeContract(
  'Pages of tenants',
  (service) => {
    const { operator } = service;
    const TENANTS = 205;

    it('has 50 rows on a page by default, at most 200, without gaps or repetition', async () => {
      const subjects = Array.from(
        { length: TENANTS },
        (_, i) => `page-of-${String(i).padStart(3, '0')}`,
      );
      // In groups: on Workers each tenant is a database of its own, and the runtime resets
      // connections when hundreds of new ones wait for a busy disk.
      const reversed = subjects.toReversed();
      while (reversed.length > 0) {
        const group = reversed.splice(0, 20);
        await Promise.all(group.map((owner) => createFor(operator, owner, 'team')));
      }
      const list = (query: string) => owners(service, `?q=page-of-${query}`);

      expect(await list('')).toEqual(subjects.slice(0, 50));
      expect(await list('&page_size=1000')).toEqual(subjects.slice(0, 200));
      expect(await list('&page_size=200&page=2')).toEqual(subjects.slice(200));
      expect(await list('&page_size=7&page=3')).toEqual(subjects.slice(14, 21));
      expect(await list('&page=6')).toEqual([]);
      expect(await list('&page=-1&page_size=0')).toEqual(subjects.slice(0, 50));
      expect(await list('&page=1.5&page_size=ten')).toEqual(subjects.slice(0, 50));
      const { json } = await operator.get('/admin/accounts?q=page-of-&page=9&page_size=999');
      expect(json.meta.pagination).toEqual(pagination(9, 200, TENANTS, 2));
    });
  },
  { ownService: true },
);

describeContract(
  'Admin health without an identity provider',
  (service) => {
    it('reports that no identity provider is configured', async () => {
      const { json } = await service.operator.get('/admin/health');
      expect(json.data).toMatchObject({ status: 'ok', identity_provider_configured: false });
    });
  },
  { settings: { AUTH_USERINFO_URL: '' } },
);
