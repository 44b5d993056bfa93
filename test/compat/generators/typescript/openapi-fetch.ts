// The fourteen steps with openapi-fetch on the types of openapi-typescript.

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

async function refusal(call: Promise<Answer<unknown>>) {
  const { error, response } = await call;
  return [response.status, error?.error.code];
}

/** A step holds where what it finds is what it wants. */
async function step(name: string, find: () => Promise<unknown>, wanted: unknown): Promise<void> {
  const found = await find().then(JSON.stringify, String);
  const holds = found === JSON.stringify(wanted);
  process.stdout.write(holds ? `ok ${name}\n` : `no ${name}: ${found}\n`);
}

const read = async (id: string) => (await answered(shop.GET('/customers/{id}', byId(id)))).data;
const byId = (id: string) => ({ params: { path: { id } } });
const create = async (name: string) => {
  const body = { name, phone: '+255713' };
  return (await answered(shop.POST('/customers', { body }))).data;
};
const order = (amount: number, more: object = {}) =>
  shop.POST('/orders', { body: { customer: 'Neema', service: 'Hem', amount, ...more } });
const list = async (query: { q?: string; page_size?: number }) => {
  const { data, meta } = await answered(shop.GET('/customers', { params: { query } }));
  return [meta.pagination.total, data[0]?.name];
};

const customer = await create('Neema');
const { data: first } = await answered(order(33333333, { customFields: { waist_cm: 74 } }));
await step('create', async () => customer.name, 'Neema');
await step('list', () => list({ page_size: 5 }), [1, 'Neema']);
await step('search', () => list({ q: 'nobody' }), [0, undefined]);
await step('read', async () => (await read(customer.id)).phone, '+255713');
await step('change', async () => {
  const body = { location: 'Mikocheni' };
  const changed = shop.PATCH('/customers/{id}', { ...byId(customer.id), body });
  const { location, name } = (await answered(changed)).data;
  return [location, name];
}, ['Mikocheni', 'Neema']);
await step('order', async () => [first.status, first.paid, first.currency], ['New', 0, 'TZS']);
const large = await answered(order(1e15, { paid: 1 }));
await step('large amount', async () => large.data.amount, 1e15);
await step('status alone', async () => {
  const changed = shop.PATCH('/orders/{id}', { ...byId(first.id), body: { status: 'Ready' } });
  const { status, customFields } = (await answered(changed)).data;
  return [status, customFields];
}, ['Ready', { waist_cm: 74 }]);
const dues = async () => (await answered(shop.GET('/payments'))).data.map(({ due }) => due);
await step('payments', dues, [999_999_999_999_999, 33333333]);
const team = async () => (await answered(shop.GET('/team'))).data.map(({ name }) => name);
await step('more properties', team, ['Hamisi']);
const { id: other } = await create('Juma');
const gone = await answered(shop.DELETE('/customers/{id}', byId(other)));
await step('delete', async () => gone.data.deleted, true);
await step('404', () => refusal(shop.GET('/customers/{id}', byId('CUS-9999'))), [404, 'NOT_FOUND']);
await step('422', () => refusal(order(0)), [422, 'VALIDATION_FAILED']);
await step('operator', async () => {
  const params = { path: { owner_sub: ACCOUNT } };
  const account = await answered(office.GET('/admin/accounts/{owner_sub}', { params }));
  const body = { name: 'From the office', phone: '1' };
  const made = office.POST('/admin/accounts/{owner_sub}/customers', { params, body });
  const { owner_sub } = (await answered(made)).data;
  const [event] = (await answered(office.GET('/admin/audit'))).data;
  return [account.data.resources.orders, owner_sub, event?.action];
}, [2, ACCOUNT, 'create']);
