// The recipes of the page against a preview: CSV, polling, a phone in the same network.

import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { pageCode, ROOT } from '../support/pages.js';
import { MODULES, openPreview, openProject, recipe } from './project.js';

async function opened(name: string, files: Readonly<Record<string, string>>) {
  const project = await openProject(name, files);
  onTestFinished(() => project.remove());
  return project;
}

it('A spreadsheet goes in and comes out, with the commands of the installed package', async () => {
  const { api, key } = await openPreview();
  const project = await opened('csv', {
    'customers.csv': 'name,phone,likes\nNeema Mushi,0713445210,braids\n',
  });
  const commands = pageCode('src/clients/client/RECIPES.md', '## CSV in and out', 'sh')
    .replace(/http:\S+/, api)
    .replace(/"the operator.*"/, `'${key}'`)
    .replaceAll('node_modules/', `${MODULES}/`);
  await project.run(['sh', '-e', '-c', commands]);
  const out = await readFile(join(project.path, 'amina/customers.csv'), 'utf8');
  expect(out).toMatch(
    /^id,owner_sub,name,phone,likes\r?\nCUS-\d+,local-amina,Neema Mushi,0713445210,braids\r?\n$/,
  );
});

it('Polling tells of each change once, outlives a service that is away, and ends', async () => {
  const { api } = await openPreview();
  const project = await opened('poll', {
    'poll.js': recipe('poll.js'),
    'client.js': "export { createClient } from 'service-management-api/client';",
  });
  const { poll } = await project.module('poll.js');
  const { createClient } = await project.module('client.js');
  let [isAway, reads] = [false, 0];
  const { orders } = createClient({
    baseUrl: api,
    token: 'local-polling',
    fetch: (...args: Parameters<typeof fetch>) => {
      reads++;
      return isAway ? Promise.reject(new TypeError('away')) : fetch(...args);
    },
  });
  const totals: number[] = [];
  const onChange = (page: { pagination: { total: number } }) => totals.push(page.pagination.total);
  const controller = new AbortController();
  const list = (signal: AbortSignal) => orders.list({}, { signal });
  const polling = poll(list, onChange, { signal: controller.signal, everyMs: 5 });
  await expect.poll(() => totals).toEqual([0]);
  const { id } = await orders.create({ customer: 'A', service: 'B', amount: 1 });
  await expect.poll(() => totals).toEqual([0, 1]);
  isAway = true;
  const before = reads;
  await expect.poll(() => reads).toBeGreaterThan(before + 3);
  isAway = false;
  await orders.update(id, { paid: 1 });
  await expect.poll(() => totals).toEqual([0, 1, 1]);
  controller.abort();
  await polling;
  const refused = poll(() => Promise.reject({ code: 'UNAUTHORIZED' }), onChange, {
    signal: new AbortController().signal,
  });
  await expect(refused).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

it('A page on a phone creates a record through the development server, and not without it', async () => {
  const { api } = await openPreview();
  const project = await opened('lan', {
    'vite.config.js': recipe('vite.config.js').replace(/http:[^']+/, new URL(api).origin),
    'index.html': '<!doctype html><title>The app</title>',
  });
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const server = project.start([process.execPath, vite, '--port', '0']);
  onTestFinished(async () => void (await server.stop()));
  const port = await server.saw(/localhost:(\d+)/);
  const created = (address: string) =>
    new Promise((resolve, reject) => {
      const phone = { host: '192.168.1.5:5173', origin: 'http://192.168.1.5:5173' };
      const headers = { ...phone, Authorization: 'Bearer local-amina' };
      request(`${address}/customers`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end('{"name":"Neema","phone":"1"}');
    });
  expect(await created(`http://127.0.0.1:${port}/api/v1`)).toBe(201);
  expect(await created(api)).toBe(403);
});
