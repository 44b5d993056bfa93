// The steps with openapi-fetch on the types of openapi-typescript.

import createClient from 'openapi-fetch';
import type { components, paths } from './generated/api.js';

declare const process: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): void };
};
const { BASE_URL = '', TOKEN = '', ADMIN_KEY = '', ACCOUNT = '' } = process.env;
const clientWith = (headers: Record<string, string>) =>
  createClient<paths>({ baseUrl: BASE_URL, headers });
const shop = clientWith({ Authorization: `Bearer ${TOKEN}` });
const office = clientWith({ 'X-Service-Admin-Key': ADMIN_KEY });

interface Answer<T> {
  readonly data?: T;
  readonly error?: components['schemas']['ErrorEnvelope'];
  readonly response: Response;
}

async function answered<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error } = await call;
  if (data === undefined) throw new Error(error?.error.message);
  return data;
}

/** A step holds where what it finds is what it wants. */
async function step(name: string, find: () => Promise<unknown>, wanted: unknown): Promise<void> {
  const found = await find().then(JSON.stringify, String);
  const holds = found === JSON.stringify(wanted);
  process.stdout.write(holds ? `ok ${name}\n` : `no ${name}: ${found}\n`);
}

const order = (amount: number, more: object = {}) =>
  shop.POST('/orders', { body: { customer: 'Neema', service: 'Hem', amount, ...more } });

await step(
  'create',
  async () => {
    const body = { name: 'Neema', phone: '+255713' };
    return (await answered(shop.POST('/customers', { body }))).data.name;
  },
  'Neema',
);
await step('list', async () => {
  const query = { q: 'neema', page_size: 5 };
  const { data, meta } = await answered(shop.GET('/customers', { params: { query } }));
  return [meta.pagination.total, data[0]?.phone];
}, [1, '+255713']);
const { data: first } = await answered(order(1e15, { customFields: { waist_cm: 74 } }));
await step('order', async () => [first.amount, first.status, first.paid], [1e15, 'New', 0]);
await step('status alone', async () => {
  const params = { path: { id: first.id } };
  const changed = shop.PATCH('/orders/{id}', { params, body: { status: 'Ready' } });
  const { status, customFields } = (await answered(changed)).data;
  return [status, customFields];
}, ['Ready', { waist_cm: 74 }]);
const dues = async () => (await answered(shop.GET('/payments'))).data.map(({ due }) => due);
await step('payments', dues, [1e15]);
const team = async () => (await answered(shop.GET('/team'))).data.map(({ name }) => name);
await step('more properties', team, ['Hamisi']);
await step('422', async () => {
  const { error, response } = await order(0);
  return [response.status, error?.error.code];
}, [422, 'VALIDATION_FAILED']);
await step('operator', async () => {
  const params = { path: { owner_sub: ACCOUNT } };
  const account = await answered(office.GET('/admin/accounts/{owner_sub}', { params }));
  const [event] = (await answered(office.GET('/admin/audit'))).data;
  return [account.data.resources.orders, event === undefined];
}, [1, true]);
