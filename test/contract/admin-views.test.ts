// Contract, "Admin endpoints": the operator's overview, tenants and health. The
// property names are those of the project's decisions on administration data.

import { expect, it } from 'vitest';
import type {
  Account,
  AccountSummary,
  AdminHealth,
  Overview,
} from '../../src/core/domain/api-schema.js';
import { COLLECTIONS, VALID_BODY } from '../support/collection-table.js';
import {
  type ContractService,
  createFor,
  describeContract,
  expectError,
  pagination,
  tenantPath,
} from '../support/contract.js';

const NOTHING = Object.fromEntries(COLLECTIONS.map((name) => [name, 0]));

async function overview({ operator }: ContractService) {
  return (await operator.get<Overview>('/admin/overview')).json.data;
}

async function owners({ operator }: ContractService, query: string): Promise<string[]> {
  const { json } = await operator.get<AccountSummary[]>(
    `/admin/accounts?${new URLSearchParams(query)}`,
  );
  return json.data.map((row: { owner_sub: string }) => row.owner_sub);
}

describeContract('The operator', (service) => {
  const { operator } = service;

  it('sees the numbers of tenants and stored records, total and by resource', async () => {
    const before = await overview(service);
    const account = service.account();
    await account.create('customers', VALID_BODY.customers);
    await account.create('customers', VALID_BODY.customers);
    await account.create('orders', VALID_BODY.orders);
    const { customers, orders } = before.resources;
    expect(await overview(service)).toEqual({
      tenant_count: before.tenant_count + 1,
      record_count: before.record_count + 3,
      resources: { ...before.resources, customers: customers + 2, orders: orders + 1 },
    });
    expect(Object.keys(before.resources)).toEqual([...COLLECTIONS]);
  });

  it('lists the tenants that have records, with their counts, ordered by owner_sub', async () => {
    const marker = service.account().subject;
    for (const owner of [`${marker}|b`, `${marker}|a`, `${marker}|B`, `${marker}|é`]) {
      await createFor(operator, owner, 'team');
    }
    await createFor(operator, `${marker}|b`, 'businesses');
    const reply = await operator.get(`/admin/accounts?q=${encodeURIComponent(marker)}`);
    expect(reply.status).toBe(200);
    const one = { record_count: 1, resources: { ...NOTHING, team: 1 } };
    const two = { record_count: 2, resources: { ...NOTHING, businesses: 1, team: 1 } };
    expect(reply.json.data).toEqual([
      { owner_sub: `${marker}|B`, ...one },
      { owner_sub: `${marker}|a`, ...one },
      { owner_sub: `${marker}|b`, ...two },
      { owner_sub: `${marker}|é`, ...one },
    ]);
    expect(reply.json.meta.pagination).toEqual(pagination(1, 50, 4, 1));
  });

  it('finds tenants by any text in their subject or business profiles, ignoring case', async () => {
    const [first, second] = [service.account(), service.account()];
    await first.create('businesses', { businessName: 'Kitenge Palace 100% (a.b)*' });
    await first.create('customers', { name: 'Hidden Name', phone: '1' });
    await second.create('team', VALID_BODY.team);
    expect(await owners(service, 'q=KITENGE palace')).toEqual([first.subject]);
    expect(await owners(service, 'q=100%25 (a.b)*')).toEqual([first.subject]);
    expect(await owners(service, 'q=100%25 (axb)*')).toEqual([]);
    expect(await owners(service, `q=${second.subject.toUpperCase()}`)).toEqual([second.subject]);
    expect(await owners(service, 'q=&page_size=200')).toEqual(
      expect.arrayContaining([first.subject, second.subject]),
    );
    const { json } = await operator.get('/admin/accounts?q=hidden+name');
    expect([json.data, json.meta.pagination]).toEqual([[], pagination(1, 50, 0, 0)]);
  });

  it('sees one tenant with counts and business profiles, newest first', async () => {
    const account = service.account();
    const profilesOf = async () =>
      (await operator.get<Account>(tenantPath(account.subject))).json.data.profiles;
    await account.create('expenses', VALID_BODY.expenses);
    expect(await profilesOf()).toEqual([]);
    const older = await account.create('businesses', { businessName: 'Older' });
    const newer = await account.create('businesses', { businessName: 'Newer' });
    const reply = await operator.get<Account>(tenantPath(account.subject));
    expect(reply.status).toBe(200);
    expect(reply.json.data).toEqual({
      owner_sub: account.subject,
      record_count: 3,
      resources: { ...NOTHING, businesses: 2, expenses: 1 },
      profiles: [newer, older],
    });
  });

  it('sees a tenant until its last record is deleted', async () => {
    const account = service.account();
    const before = await overview(service);
    const customer = await account.create('customers', VALID_BODY.customers);
    const order = await account.create('orders', VALID_BODY.orders);
    await account.delete(`/customers/${customer.id}`);
    const found = () => owners(service, `q=${account.subject}`);
    expect((await overview(service)).record_count).toBe(before.record_count + 1);
    expect(await found()).toEqual([account.subject]);
    await account.delete(`/orders/${order.id}`);
    expect(await found()).toEqual([]);
    expectError(await operator.get<Account>(tenantPath(account.subject)), 404, 'NOT_FOUND');
    expect(await overview(service)).toEqual(before);
    await account.create('team', VALID_BODY.team);
    expect(await found()).toEqual([account.subject]);
  });

  it.each(['nobody', '__proto__', 'constructor', 'x/y', ' '])(
    'gets 404 for %j, which has no records',
    async (owner) => {
      expectError(await operator.get<Account>(tenantPath(owner)), 404, 'NOT_FOUND');
    },
  );

  it('sees the health of the database, the integrations and the uptime', async () => {
    const asked = service.identity.tokens.length;
    const reply = await operator.get<AdminHealth>('/admin/health');
    expect(reply.status).toBe(200);
    expect(reply.json.data).toEqual({
      ...{ status: 'ok', database: 'ok', uptime_seconds: expect.any(Number) },
      ...{ identity_provider_configured: true, admin_configured: true },
    });
    expect(String(reply.json.data.uptime_seconds)).toMatch(/^\d+$/);
    expect(service.identity.tokens.length).toBe(asked);
  });
});
