// The react-admin recipe: it compiles, and its data provider works against a preview.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageCode } from '../support/pages.js';
import { interrupted, printed, spawnPreview } from '../support/preview-process.js';
import type { Program } from '../support/program.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { MODULES, openRecipe, type Project, runNode } from './project.js';

const PAGE = 'src/clients/client/RECIPES.md';
const PREVIEW = /http:\/\/127\.0\.0\.1:8080\/api\/v1/;
const TSC = join(MODULES, 'typescript/bin/tsc');
const MAIN = `
import { createRoot } from 'react-dom/client';
import { Shop } from './admin';
createRoot(document.getElementById('root')!).render(<Shop />);
`;
const CONFIGURATION = JSON.stringify({
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    jsx: 'react-jsx',
    types: [],
    // Its own types do not compile with exactOptionalPropertyTypes.
    skipLibCheck: true,
  },
  include: ['*.ts', '*.tsx'],
});

let folder: TemporaryFolder;
let preview: Program;
let project: Project;
let api: string;

beforeAll(async () => {
  folder = await openTemporaryFolder();
  preview = spawnPreview(folder.path);
  api = /runs at (\S+)/.exec(await printed(preview))?.[1] ?? '';
  project = await openRecipe('react-admin', {
    'data-provider.ts': pageCode(PAGE, '`data-provider.ts`', 'ts'),
    'admin.tsx': pageCode(PAGE, '`admin.tsx`', 'tsx').replace(PREVIEW, api),
    'main.tsx': MAIN,
    'tsconfig.json': CONFIGURATION,
  });
});
afterAll(async () => {
  await interrupted(preview);
  await folder.remove();
  await project?.remove();
});

it('The recipe compiles', () => runNode(project, [TSC, '-p', '.']));

interface Row {
  readonly id: string;
  readonly name?: string;
  readonly customer?: string;
  readonly phone?: string;
  readonly order_id?: string;
}
type One = (resource: string, parameters: object) => Promise<{ data: Row }>;
type Several = (
  resource: string,
  parameters: object,
) => Promise<{ data: readonly Row[]; total?: number }>;

/** As far as it is used here: its whole type is react-admin's, which this project does not install. */
type Provider = Record<'getOne' | 'create' | 'update' | 'delete', One> &
  Record<'getList' | 'getMany' | 'getManyReference' | 'updateMany' | 'deleteMany', Several>;

describe('The data provider', () => {
  const sort = { field: 'id', order: 'ASC' };
  const pages = (page: number, perPage: number) => ({
    pagination: { page, perPage },
    sort,
    filter: {},
  });
  let provider: Provider;

  beforeAll(async () => {
    const file = join(project.path, 'data-provider.mjs');
    await build({
      absWorkingDir: project.path,
      entryPoints: ['data-provider.ts'],
      outfile: file,
      format: 'esm',
      platform: 'node',
    });
    // react-admin alone, whose modules Node cannot all load, gives way to the class that is used of it.
    const text = await readFile(file, 'utf8');
    const httpError =
      'class HttpError extends Error { constructor(message, status, body) { super(message); this.status = status; this.body = body; } }';
    await writeFile(file, text.replace(/import \{ HttpError \} from "react-admin";/, httpError));
    const { dataProvider } = await import(pathToFileURL(file).href);
    provider = dataProvider({ baseUrl: api, token: 'local-preview' });
  });

  it('lists with totals, pages and filters', async () => {
    const all = await provider.getList('customers', pages(1, 2));
    expect([all.data.length, all.total]).toEqual([2, 4]);
    const filter = { status: 'Ready', q: 'baraka' };
    const found = await provider.getList('orders', { ...pages(1, 2), filter });
    expect(found.data.map(({ customer }) => customer)).toEqual(['Baraka Kileo']);
    const { data, total } = await provider.getList('payments', pages(1, 100));
    expect([data.length, data.at(-1)?.order_id]).toEqual([total, 'ORD-0001']);
    expect(await provider.getList('payments', pages(2, 3))).toEqual({
      data: data.slice(3, 6),
      total,
    });
  });

  it('exports every row, however many pages they are', async () => {
    const own = pathToFileURL(join(project.path, 'data-provider.mjs')).href;
    const { dataProvider } = await import(own);
    const other = dataProvider({ baseUrl: api, token: 'local-export' });
    for (let i = 0; i < 205; i++) {
      await other.create('team', { data: { name: `${i}`, phone: '1' } });
    }
    const all = await other.getList('team', pages(1, 100_000));
    expect([all.total, new Set(all.data.map(({ id }: { id: string }) => id)).size]).toEqual([
      205, 205,
    ]);
    const second = await other.getList('team', pages(2, 150));
    expect([second.total, second.data]).toEqual([205, all.data.slice(150)]);
  });

  it('reads one, several, and those that name another; a missing one is none', async () => {
    const { data } = await provider.getOne('customers', { id: 'CUS-0001' });
    expect(data.name).toBe('Neema Mushi');
    const several = await provider.getMany('customers', {
      ids: ['CUS-0002', 'CUS-9999', 'CUS-0001'],
    });
    expect(several.data.map(({ id }) => id)).toEqual(['CUS-0002', 'CUS-0001']);
    const payment = await provider.getOne('payments', { id: 'PAY-0001' });
    expect(payment.data.order_id).toBe('ORD-0001');
    expect((await provider.getMany('payments', { ids: ['PAY-0001', 'PAY-9'] })).data).toHaveLength(
      1,
    );
    await expect(provider.getOne('payments', { id: 'PAY-9' })).rejects.toMatchObject({
      status: 404,
    });
    const reference = { target: 'customer', id: 'Rehema Mwakyusa', ...pages(1, 2) };
    const orders = await provider.getManyReference('orders', reference);
    expect([orders.data[0]?.id, orders.total]).toEqual(['ORD-0002', 1]);
  });

  it('creates, changes what the form changed, and deletes, one or many', async () => {
    const body = { name: 'A', phone: '1' };
    const { data: first } = await provider.create('team', { data: body });
    const { data: second } = await provider.create('team', { data: body });
    const ids = [first.id, second.id];
    // Meanwhile another program changes another property.
    await provider.update('team', {
      id: first.id,
      data: { ...first, role: 'cook' },
      previousData: first,
    });
    const changed = { id: first.id, data: { ...first, name: 'B' }, previousData: first };
    expect((await provider.update('team', changed)).data).toEqual({
      ...first,
      name: 'B',
      role: 'cook',
    });
    expect(await provider.updateMany('team', { ids, data: { phone: '2' } })).toEqual({ data: ids });
    expect((await provider.getOne('team', { id: second.id })).data.phone).toBe('2');
    expect((await provider.delete('team', { id: first.id })).data.id).toBe(first.id);
    expect(await provider.deleteMany('team', { ids: [second.id] })).toEqual({ data: [second.id] });
    expect((await provider.getList('team', pages(1, 2))).total).toBe(2);
  });

  it('fails with a status, and with the fault of each field', async () => {
    await expect(provider.getOne('orders', { id: 'ORD-9999' })).rejects.toMatchObject({
      status: 404,
    });
    await expect(provider.create('orders', { data: { customer: '' } })).rejects.toMatchObject({
      status: 422,
      body: {
        errors: {
          customer: expect.stringMatching(/^is an empty string/),
          service: expect.stringMatching(/^is missing/),
          amount: expect.stringMatching(/^is missing/),
        },
      },
    });
  });
});
