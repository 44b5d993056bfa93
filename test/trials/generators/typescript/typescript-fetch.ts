// The fourteen steps with the typescript-fetch client of openapi-generator.

import {
  AdminRecordsApi,
  AdminViewsApi,
  Configuration,
  CustomersApi,
  OrdersApi,
  PaymentsApi,
  ResponseError,
  TeamApi,
} from './generated/index.js';
import { ACCOUNT, ADMIN_KEY, BASE_URL, FOREIGN_TOKEN, type Refusal, run, TOKEN } from './shop.js';

const configured = (accessToken: string) =>
  new Configuration({ basePath: BASE_URL, accessToken, apiKey: () => ADMIN_KEY });
const shop = configured(TOKEN);
const customers = new CustomersApi(shop);
const orders = new OrdersApi(shop);

async function refusal(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const { error: detail } = await error.response.json();
    return [error.response.status, detail.code];
  }
  throw new Error('not refused');
}

await run({
  createCustomer: async (newCustomer) => (await customers.createCustomer({ newCustomer })).data,
  listCustomers: async ({ q, page_size }) => {
    const { data, meta } = await customers.listCustomers({
      ...(q !== undefined && { q }),
      ...(page_size !== undefined && { pageSize: page_size }),
    });
    return { data, total: meta.pagination.total };
  },
  readCustomer: async (id) => (await customers.readCustomer({ id })).data,
  updateCustomer: async (id, customerChanges) =>
    (await customers.updateCustomer({ id, customerChanges })).data,
  deleteCustomer: async (id) => (await customers.deleteCustomer({ id })).data,
  createOrder: async (newOrder) => (await orders.createOrder({ newOrder })).data,
  updateOrder: async (id, orderChanges) => (await orders.updateOrder({ id, orderChanges })).data,
  dues: async () => (await new PaymentsApi(shop).listPayments()).data.map(({ due }) => due),
  team: async () => (await new TeamApi(shop).listTeamMembers()).data.map(({ name }) => name),
  missing: (id) => refusal(customers.readCustomer({ id })),
  refused: (newOrder) => refusal(orders.createOrder({ newOrder })),
  office: async () => {
    const views = new AdminViewsApi(shop);
    const { resources } = (await views.adminReadAccount({ ownerSub: ACCOUNT })).data;
    const newCustomer = { name: 'From the office', phone: '1' };
    const made = await new AdminRecordsApi(shop).adminCreateCustomer({
      ownerSub: ACCOUNT,
      newCustomer,
    });
    const [event] = (await views.adminListAuditEvents()).data;
    await views.adminOverview();
    await views.adminUsage();
    const found = (await views.adminListAccounts({ q: ACCOUNT })).data.length;
    return [resources.orders, made.data.ownerSub, event?.action ?? '', found];
  },
  foreign: async () =>
    (await new CustomersApi(configured(FOREIGN_TOKEN)).listCustomers()).data.length,
});
