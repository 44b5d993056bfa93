// The fourteen steps for every TypeScript client: a client is a set of functions that
// speak of customers, orders and the operator's views in the generated types.

declare const process: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): void };
};

const say = (line: string) => process.stdout.write(`${line}\n`);

const env = (name: string) => process.env[name] ?? '';
export const BASE_URL = env('BASE_URL');
export const TOKEN = env('TOKEN');
export const ADMIN_KEY = env('ADMIN_KEY');
export const ACCOUNT = env('ACCOUNT');
export const FOREIGN_TOKEN = env('FOREIGN_TOKEN');

interface Customer {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly location?: string | undefined;
}
interface Order {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
  readonly paid: number;
  readonly currency: string;
  readonly customFields?: object | null | undefined;
}
/** A `type`: an `interface` does not fit the open bodies of the generated types. */
type NewOrder = {
  customer: string;
  service: string;
  amount: number;
  paid?: number;
  customFields?: Record<string, unknown>;
};

/** What a refusal came to: its status and its code. */
export type Refusal = readonly [status: number, code: string];

export interface Shop {
  createCustomer(body: { name: string; phone: string; note?: string }): Promise<Customer>;
  listCustomers(query: { q?: string; page_size?: number }): Promise<{
    readonly data: readonly Customer[];
    readonly total: number;
  }>;
  readCustomer(id: string): Promise<Customer>;
  updateCustomer(id: string, changes: { location: string }): Promise<Customer>;
  deleteCustomer(id: string): Promise<{ readonly id: string; readonly deleted: boolean }>;
  createOrder(body: NewOrder): Promise<Order>;
  updateOrder(id: string, changes: { status: string }): Promise<Order>;
  dues(): Promise<readonly number[]>;
  /** Names of the team, whose records have a property that the document does not name. */
  team(): Promise<readonly string[]>;
  missing(id: string): Promise<Refusal>;
  refused(body: NewOrder): Promise<Refusal>;
  /** Orders of the account, owner of a record that the office creates, latest action, accounts found. */
  office(): Promise<readonly [number, string, string, number]>;
  /** Customers that the other account's list holds. */
  foreign(): Promise<number>;
}

export async function run(shop: Shop): Promise<void> {
  let customer = '';
  let order = '';
  await step('create', async () => {
    customer = (await shop.createCustomer({ name: 'Neema', phone: '+255713' })).id;
  });
  await step('list', async () => {
    const { data, total } = await shop.listCustomers({ page_size: 5 });
    same([total, data[0]?.name], [1, 'Neema']);
  });
  await step('search', async () => {
    same((await shop.listCustomers({ q: 'neema' })).data.length, 1);
    same((await shop.listCustomers({ q: 'nobody' })).data.length, 0);
  });
  await step('read', async () => same((await shop.readCustomer(customer)).phone, '+255713'));
  await step('change', async () => {
    const changed = await shop.updateCustomer(customer, { location: 'Mikocheni' });
    same([changed.location, changed.name], ['Mikocheni', 'Neema']);
  });
  await step('order', async () => {
    const made = await shop.createOrder(orderOf(33333333, { customFields: { waist_cm: 74 } }));
    order = made.id;
    same([made.amount, made.status, made.paid, made.currency], [33333333, 'New', 0, 'TZS']);
  });
  await step('large amount', async () =>
    same((await shop.createOrder(orderOf(1e15, { paid: 1 }))).amount, 1_000_000_000_000_000),
  );
  await step('status alone', async () => {
    const changed = await shop.updateOrder(order, { status: 'Ready' });
    same([changed.status, changed.customFields], ['Ready', { waist_cm: 74 }]);
  });
  await step('payments', async () => same(await shop.dues(), [999_999_999_999_999, 33333333]));
  await step('more properties', async () => same(await shop.team(), ['Hamisi']));
  await step('delete', async () => {
    const juma = await shop.createCustomer({ name: 'Juma', phone: '1' });
    const { id, deleted } = await shop.deleteCustomer(juma.id);
    same([id, deleted], [juma.id, true]);
  });
  await step('404', async () => same(await shop.missing('CUS-9999'), [404, 'NOT_FOUND']));
  await step('422', async () => same(await shop.refused(orderOf(0)), [422, 'VALIDATION_FAILED']));
  await step('operator', async () => same(await shop.office(), [2, ACCOUNT, 'create', 1]));
  const { id } = await shop.createCustomer({ name: 'Marked', phone: '1', note: 'x' });
  say(`fact unknown ${'note' in (await shop.readCustomer(id)) ? 'kept' : 'lost'}`);
  const found = await shop.foreign().catch(() => 0);
  say(`fact foreign ${found === 2 ? 'read' : 'fails'}`);
}

function orderOf(amount: number, more: Partial<NewOrder> = {}): NewOrder {
  return { customer: 'Neema', service: 'Hem', amount, ...more };
}

async function step(name: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
    say(`ok ${name}`);
  } catch (error) {
    say(`no ${name}: ${String(error).replaceAll('\n', ' ').slice(0, 300)}`);
  }
}

function same(found: unknown, wanted: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${a} is not ${b}`);
}
