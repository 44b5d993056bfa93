// The requests of the front page and the recipes of the client page, against a
// preview of their own, as a reader would run them.

import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProject, pageCode } from '../support/pages.js';
import {
  interrupted,
  type PreviewProcess,
  printed,
  spawnPreview,
} from '../support/preview-process.js';
import type { TemporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
const PAGE = 'src/client/README.md';
const { BUN, DENO } = process.env;
const DENO_ARGUMENTS = ['run', '-A', '--node-modules-dir=manual'];
const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

let project: TemporaryFolder;
let preview: PreviewProcess;
let api: string;

beforeAll(async () => {
  project = await openProject({
    'data-provider.js': pageCode(PAGE, '## A react-admin data provider'),
  });
  preview = spawnPreview(project.path);
  api = /runs at (\S+)/.exec(await printed(preview))?.[1] ?? '';
});
afterAll(async () => {
  await interrupted(preview);
  await project.remove();
});

describe.runIf(HAS_CURL)('The front page', () => {
  /** The command after the words, against this preview, and the answer that the page shows after it. */
  async function exchange(words: string) {
    const command = pageCode('README.md', words, 'sh').replace(/http:\/\/[^/]+\/api\/v1/, api);
    const { stdout } = await run('sh', ['-e', '-c', command]);
    const shown = JSON.parse(pageCode('README.md', words, 'json'));
    return { answered: JSON.parse(stdout), shown };
  }

  it.each(['send a new customer', 'List the customers'])(
    'shows what comes back: %s',
    async (words) => {
      const { answered, shown } = await exchange(words);
      const { meta, data } = answered;
      expect({ data, meta: { ...meta, ...timeless(shown.meta) } }).toEqual(shown);
      expect(Object.keys(meta)).toEqual(Object.keys(shown.meta));
      expect(JSON.stringify(data)).toBe(JSON.stringify(shown.data));
    },
  );

  /** Properties of `meta` that differ with every request. */
  function timeless({ request_id, timestamp }: { request_id: string; timestamp: string }) {
    return { request_id, timestamp };
  }
});

it.runIf(HAS_CURL)('A day at the salon ends with everything paid', async () => {
  const script = pageCode(PAGE, '## A day at the salon', 'sh');
  const { stdout } = await run('sh', ['-e', '-c', script.replace(/http:\S+/, api)]);
  const answers = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
  expect(answers).toHaveLength(6);
  expect(answers[2].data).toMatchObject({ paid: 20000, status: 'In progress' });
  expect(answers.at(-1).data).toMatchObject([
    {
      customer: 'Zawadi Temu',
      amount: 45000,
      paid: 45000,
      due: 0,
      status: 'paid',
      method: 'M-Pesa',
    },
  ]);
});

describe('The client’s example does what it says', () => {
  it('in Node', () => runsClient(process.execPath));
  it.runIf(BUN)('in Bun', () => runsClient(BUN ?? ''));
  it.runIf(DENO)('in Deno', () => runsClient(DENO ?? '', ...DENO_ARGUMENTS));

  async function runsClient(command: string, ...options: string[]) {
    const code = pageCode(PAGE, '## The typed client').replace(/http:[^']+/, api);
    await writeFile(join(project.path, 'client.js'), code);
    const { stdout } = await run(command, [...options, 'client.js'], { cwd: project.path });
    expect(stdout.trim().split('\n')).toEqual([
      'Neema Mushi +255 713 445 210',
      expect.stringMatching(/^NOT_FOUND 404 req_[0-9a-f]{16}$/),
    ]);
  }
});

describe('The react-admin data provider', () => {
  const sort = { field: 'id', order: 'ASC' };
  const pagination = { page: 1, perPage: 2 };
  // biome-ignore lint/suspicious/noExplicitAny: the recipe is JavaScript
  let provider: any;

  beforeAll(async () => {
    const { dataProvider } = await import(
      pathToFileURL(join(project.path, 'data-provider.js')).href
    );
    provider = dataProvider({ baseUrl: api, token: 'local-preview' });
  });

  it('lists with totals, pages and filters', async () => {
    const all = await provider.getList('customers', { pagination, sort, filter: {} });
    expect([all.data.length, all.total]).toEqual([2, 4]);
    const found = await provider.getList('orders', {
      pagination,
      sort,
      filter: { status: 'Ready', q: 'baraka' },
    });
    expect(found.data.map(({ customer }: { customer: string }) => customer)).toEqual([
      'Baraka Kileo',
    ]);
    const payments = (page: number, perPage: number) =>
      provider.getList('payments', { pagination: { page, perPage } });
    const { data, total } = await payments(1, 100);
    expect([data.length, data.at(-1).order_id]).toEqual([total, 'ORD-0001']);
    expect(await payments(2, 3)).toEqual({ data: data.slice(3, 6), total });
  });

  it('reads one, several, and those that name another', async () => {
    const { data } = await provider.getOne('customers', { id: 'CUS-0001' });
    expect(data.name).toBe('Neema Mushi');
    const several = await provider.getMany('customers', { ids: ['CUS-0002', 'CUS-0001'] });
    expect(several.data.map(({ id }: { id: string }) => id)).toEqual(['CUS-0002', 'CUS-0001']);
    const orders = await provider.getManyReference('orders', {
      target: 'customer',
      id: 'Rehema Mwakyusa',
      pagination,
      sort,
      filter: {},
    });
    expect([orders.data[0].id, orders.total]).toEqual(['ORD-0002', 1]);
  });

  it('creates, changes and deletes, one or many', async () => {
    const body = { name: 'A', phone: '1' };
    const { data: first } = await provider.create('team', { data: body });
    const { data: second } = await provider.create('team', { data: body });
    const ids = [first.id, second.id];
    const changed = await provider.update('team', { id: first.id, data: { name: 'B' } });
    expect(changed.data).toEqual({ ...first, name: 'B' });
    expect(await provider.updateMany('team', { ids, data: { phone: '2' } })).toEqual({ data: ids });
    expect((await provider.getOne('team', { id: second.id })).data.phone).toBe('2');
    expect((await provider.delete('team', { id: first.id })).data.id).toBe(first.id);
    expect(await provider.deleteMany('team', { ids: [second.id] })).toEqual({ data: [second.id] });
    expect((await provider.getList('team', { pagination, sort, filter: {} })).total).toBe(2);
  });

  it('fails with the error that react-admin shows', async () => {
    await expect(provider.getOne('orders', { id: 'ORD-9999' })).rejects.toMatchObject({
      status: 404,
    });
  });
});
