// The react-admin recipe: it compiles, and its data provider works against a preview.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MODULES, openPreview, openProject, recipe } from './project.js';

/** Its own types do not compile with `exactOptionalPropertyTypes`. */
const OPTIONS =
  '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --target ES2022 --lib ES2022,DOM,DOM.Iterable --module ESNext --moduleResolution Bundler --jsx react-jsx --types node';
/** react-admin itself, whose modules Node cannot all load, gives way to the class that is used of it. */
const HTTP_ERROR =
  'class HttpError extends Error { constructor(message, status, body) { super(message); this.status = status; this.body = body; } }';

interface Row {
  readonly id: string;
  readonly [property: string]: unknown;
}
/** As far as it is used here: its whole type is react-admin's, which this project does not install. */
type Provider = Record<
  'getOne' | 'create' | 'update' | 'delete',
  (resource: string, parameters: object) => Promise<{ data: Row }>
> &
  Record<
    'getList' | 'getMany' | 'getManyReference' | 'updateMany' | 'deleteMany',
    (resource: string, parameters: object) => Promise<{ data: readonly Row[]; total?: number }>
  >;

const pages = (page: number, perPage: number) => ({
  pagination: { page, perPage },
  sort: { field: 'id', order: 'ASC' },
  filter: {},
});

it('The recipe compiles, and its data provider lists, reads, changes and fails as react-admin wants it', async () => {
  const { api } = await openPreview();
  const project = await openProject('react-admin', {
    'data-provider.ts': recipe('data-provider.ts'),
    'admin.tsx': recipe('admin.tsx'),
    'main.tsx': `import { createRoot } from 'react-dom/client';
      import { Shop } from './admin';
      createRoot(document.getElementById('root')!).render(<Shop />);`,
  });
  onTestFinished(() => project.remove());
  const tsc = [process.execPath, join(MODULES, 'typescript/bin/tsc'), ...OPTIONS.split(' ')];
  await project.run([...tsc, 'data-provider.ts', 'admin.tsx', 'main.tsx']);
  const code = await project.bundled('data-provider.ts', { bundle: false });
  const own = code.replace(/import \{ HttpError \} from "react-admin";/, HTTP_ERROR);
  await writeFile(join(project.path, 'data-provider.mjs'), own);
  const { dataProvider } = await project.module('data-provider.mjs');
  const provider: Provider = dataProvider({ baseUrl: api, token: 'local-preview' });

  const all = await provider.getList('customers', pages(1, 2));
  expect([all.data.length, all.total]).toEqual([2, 4]);
  const filter = { status: 'Ready', q: 'baraka' };
  const found = await provider.getList('orders', { ...pages(1, 2), filter });
  expect(found.data.map(({ customer }) => customer)).toEqual(['Baraka Kileo']);
  const due = await provider.getList('payments', pages(1, 100));
  const some = { data: due.data.slice(3, 6), total: due.total };
  expect(await provider.getList('payments', pages(2, 3))).toEqual(some);

  // An export takes every row, however many pages they are.
  const other: Provider = dataProvider({ baseUrl: api, token: 'local-export' });
  const member = (name: string) => ({ data: { name, phone: '1' } });
  for (let i = 0; i < 205; i++) await other.create('team', member(`${i}`));
  const team = await other.getList('team', pages(1, 100_000));
  expect([team.total, new Set(team.data.map(({ id }) => id)).size]).toEqual([205, 205]);
  expect((await other.getList('team', pages(2, 150))).data).toEqual(team.data.slice(150));

  const { data } = await provider.getOne('customers', { id: 'CUS-0001' });
  expect(data['name']).toBe('Neema Mushi');
  const named = ['CUS-0002', 'CUS-9999', 'CUS-0001'];
  const several = await provider.getMany('customers', { ids: named });
  expect(several.data.map(({ id }) => id)).toEqual(['CUS-0002', 'CUS-0001']);
  const payment = await provider.getOne('payments', { id: 'PAY-0001' });
  expect(payment.data['order_id']).toBe('ORD-0001');
  const reference = { target: 'customer', id: 'Rehema Mwakyusa', ...pages(1, 2) };
  const orders = await provider.getManyReference('orders', reference);
  expect([orders.data[0]?.id, orders.total]).toEqual(['ORD-0002', 1]);

  const { data: first } = await provider.create('team', member('A'));
  const { data: second } = await provider.create('team', member('A'));
  const ids = [first.id, second.id];
  const change = (changed: object) =>
    provider.update('team', { id: first.id, data: { ...first, ...changed }, previousData: first });
  // Meanwhile another program changes another property.
  await change({ role: 'cook' });
  expect((await change({ name: 'B' })).data).toEqual({ ...first, name: 'B', role: 'cook' });
  expect(await provider.updateMany('team', { ids, data: { phone: '2' } })).toEqual({ data: ids });
  expect((await provider.delete('team', { id: first.id })).data.id).toBe(first.id);
  expect(await provider.deleteMany('team', { ids: [second.id] })).toEqual({ data: [second.id] });

  await expect(provider.getOne('payments', { id: 'PAY-9' })).rejects.toMatchObject({ status: 404 });
  const missing = expect.stringMatching(/^is missing/);
  const customer = expect.stringMatching(/^is an empty string/);
  await expect(provider.create('orders', { data: { customer: '' } })).rejects.toMatchObject({
    status: 422,
    body: { errors: { customer, service: missing, amount: missing } },
  });
});
