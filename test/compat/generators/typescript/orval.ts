// The fourteen steps with the fetch client of orval.

import { signedAs } from './fetcher.js';
import { adminCreateCustomer } from './generated/admin-records.js';
import {
  adminListAccounts,
  adminListAuditEvents,
  adminOverview,
  adminReadAccount,
  adminUsage,
} from './generated/admin-views.js';
import {
  createCustomer,
  deleteCustomer,
  listCustomers,
  readCustomer,
  updateCustomer,
} from './generated/customers.js';
import type { ErrorEnvelope } from './generated/model/index.js';
import { createOrder, updateOrder } from './generated/orders.js';
import { listPayments } from './generated/payments.js';
import { listTeamMembers } from './generated/team.js';
import { ACCOUNT, ADMIN_KEY, FOREIGN_TOKEN, type Refusal, run, TOKEN } from './shop.js';

const shop = signedAs({ Authorization: `Bearer ${TOKEN}` });
const office = signedAs({ 'X-Service-Admin-Key': ADMIN_KEY });

type Answer = { readonly status: number; readonly data: unknown };
type Success<A extends Answer> = Extract<A, { status: 200 | 201 }>['data'];

/** The body of a success: the status tells which of the types it is. */
async function answered<A extends Answer>(call: Promise<A>): Promise<Success<A>> {
  const { status, data } = await call;
  if (status === 200 || status === 201) return data as Success<A>;
  throw new Error((data as ErrorEnvelope).error.message);
}

async function refusal(call: Promise<Answer>): Promise<Refusal> {
  const { status, data } = await call;
  return [status, (data as ErrorEnvelope).error.code];
}

await run({
  createCustomer: async (body) => (await answered(createCustomer(body, shop))).data,
  listCustomers: async (query) => {
    const { data, meta } = await answered(listCustomers(query, shop));
    return { data, total: meta.pagination.total };
  },
  readCustomer: async (id) => (await answered(readCustomer(id, shop))).data,
  updateCustomer: async (id, body) => (await answered(updateCustomer(id, body, shop))).data,
  deleteCustomer: async (id) => (await answered(deleteCustomer(id, shop))).data,
  createOrder: async (body) => (await answered(createOrder(body, shop))).data,
  updateOrder: async (id, body) => (await answered(updateOrder(id, body, shop))).data,
  dues: async () => (await answered(listPayments(shop))).data.map(({ due }) => due),
  team: async () => (await answered(listTeamMembers({}, shop))).data.map(({ name }) => name),
  missing: (id) => refusal(readCustomer(id, shop)),
  refused: (body) => refusal(createOrder(body, shop)),
  office: async () => {
    const { resources } = (await answered(adminReadAccount(ACCOUNT, office))).data;
    const body = { name: 'From the office', phone: '1' };
    const made = await answered(adminCreateCustomer(ACCOUNT, body, office));
    const [event] = (await answered(adminListAuditEvents({}, office))).data;
    await answered(adminOverview(office));
    await answered(adminUsage(office));
    const found = (await answered(adminListAccounts({ q: ACCOUNT }, office))).data.length;
    return [resources.orders, made.data.owner_sub, event?.action ?? '', found];
  },
  foreign: async () => {
    const other = signedAs({ Authorization: `Bearer ${FOREIGN_TOKEN}` });
    return (await answered(listCustomers({}, other))).data.length;
  },
});
