// The fourteen steps with openapi-fetch on the types of openapi-typescript.

import createClient from 'openapi-fetch';
import type { components, paths } from './generated/api.js';
import { ACCOUNT, ADMIN_KEY, BASE_URL, FOREIGN_TOKEN, type Refusal, run, TOKEN } from './shop.js';

const client = (headers: Record<string, string>) =>
  createClient<paths>({ baseUrl: BASE_URL, headers });
const shop = client({ Authorization: `Bearer ${TOKEN}` });
const office = client({ 'X-Service-Admin-Key': ADMIN_KEY });

type ErrorEnvelope = components['schemas']['ErrorEnvelope'];
interface Answer<T> {
  readonly data?: T;
  readonly error?: ErrorEnvelope;
  readonly response: Response;
}

async function answered<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error } = await call;
  if (data === undefined) throw new Error(error?.error.message);
  return data;
}

async function refusal(call: Promise<Answer<unknown>>): Promise<Refusal> {
  const { error, response } = await call;
  return [response.status, error?.error.code ?? ''];
}

const byId = (id: string) => ({ path: { id } });

await run({
  createCustomer: async (body) => (await answered(shop.POST('/customers', { body }))).data,
  listCustomers: async (query) => {
    const { data, meta } = await answered(shop.GET('/customers', { params: { query } }));
    return { data, total: meta.pagination.total };
  },
  readCustomer: async (id) =>
    (await answered(shop.GET('/customers/{id}', { params: byId(id) }))).data,
  updateCustomer: async (id, body) =>
    (await answered(shop.PATCH('/customers/{id}', { params: byId(id), body }))).data,
  deleteCustomer: async (id) =>
    (await answered(shop.DELETE('/customers/{id}', { params: byId(id) }))).data,
  createOrder: async (body) => (await answered(shop.POST('/orders', { body }))).data,
  updateOrder: async (id, body) =>
    (await answered(shop.PATCH('/orders/{id}', { params: byId(id), body }))).data,
  dues: async () => (await answered(shop.GET('/payments'))).data.map(({ due }) => due),
  team: async () => (await answered(shop.GET('/team'))).data.map(({ name }) => name),
  missing: (id) => refusal(shop.GET('/customers/{id}', { params: byId(id) })),
  refused: (body) => refusal(shop.POST('/orders', { body })),
  office: async () => {
    const params = { path: { owner_sub: ACCOUNT } };
    const account = await answered(office.GET('/admin/accounts/{owner_sub}', { params }));
    const body = { name: 'From the office', phone: '1' };
    const made = await answered(
      office.POST('/admin/accounts/{owner_sub}/customers', { params, body }),
    );
    const [event] = (await answered(office.GET('/admin/audit'))).data;
    await answered(office.GET('/admin/overview'));
    await answered(office.GET('/admin/usage'));
    const query = { q: ACCOUNT };
    const found = await answered(office.GET('/admin/accounts', { params: { query } }));
    const { resources } = account.data;
    return [resources.orders, made.data.owner_sub, event?.action ?? '', found.data.length];
  },
  foreign: async () => {
    const other = client({ Authorization: `Bearer ${FOREIGN_TOKEN}` });
    return (await answered(other.GET('/customers'))).data.length;
  },
});
