// The fourteen steps with the client of hey-api's openapi-ts.

import { createClient, createConfig } from './generated/client/index.js';
import {
  adminCreateCustomer,
  adminListAccounts,
  adminListAuditEvents,
  adminOverview,
  adminReadAccount,
  adminUsage,
  createCustomer,
  createOrder,
  deleteCustomer,
  listCustomers,
  listPayments,
  listTeamMembers,
  readCustomer,
  updateCustomer,
  updateOrder,
} from './generated/sdk.gen.js';
import type { ErrorEnvelope } from './generated/types.gen.js';
import { ACCOUNT, ADMIN_KEY, BASE_URL, FOREIGN_TOKEN, type Refusal, run, TOKEN } from './shop.js';

const connect = (auth: string) => createClient(createConfig({ baseUrl: BASE_URL, auth }));
const client = connect(TOKEN);
const office = connect(ADMIN_KEY);

async function refusal(
  call: Promise<{ error?: ErrorEnvelope | undefined; response: Response }>,
): Promise<Refusal> {
  const { error, response } = await call;
  return [response.status, error?.error.code ?? ''];
}

const thrown = { throwOnError: true } as const;

await run({
  createCustomer: async (body) => (await createCustomer({ client, body, ...thrown })).data.data,
  listCustomers: async (query) => {
    const { data, meta } = (await listCustomers({ client, query, ...thrown })).data;
    return { data, total: meta.pagination.total };
  },
  readCustomer: async (id) => (await readCustomer({ client, path: { id }, ...thrown })).data.data,
  updateCustomer: async (id, body) =>
    (await updateCustomer({ client, path: { id }, body, ...thrown })).data.data,
  deleteCustomer: async (id) =>
    (await deleteCustomer({ client, path: { id }, ...thrown })).data.data,
  createOrder: async (body) => (await createOrder({ client, body, ...thrown })).data.data,
  updateOrder: async (id, body) =>
    (await updateOrder({ client, path: { id }, body, ...thrown })).data.data,
  dues: async () => (await listPayments({ client, ...thrown })).data.data.map(({ due }) => due),
  team: async () =>
    (await listTeamMembers({ client, ...thrown })).data.data.map(({ name }) => name),
  missing: (id) => refusal(readCustomer({ client, path: { id } })),
  refused: (body) => refusal(createOrder({ client, body })),
  office: async () => {
    const path = { owner_sub: ACCOUNT };
    const account = await adminReadAccount({ client: office, path, ...thrown });
    const body = { name: 'From the office', phone: '1' };
    const made = await adminCreateCustomer({ client: office, path, body, ...thrown });
    const [event] = (await adminListAuditEvents({ client: office, ...thrown })).data.data;
    await adminOverview({ client: office, ...thrown });
    await adminUsage({ client: office, ...thrown });
    const query = { q: ACCOUNT };
    const found = (await adminListAccounts({ client: office, query, ...thrown })).data.data.length;
    const { resources } = account.data.data;
    return [resources.orders, made.data.data.owner_sub, event?.action ?? '', found];
  },
  foreign: async () =>
    (await listCustomers({ client: connect(FOREIGN_TOKEN), ...thrown })).data.data.length,
});
