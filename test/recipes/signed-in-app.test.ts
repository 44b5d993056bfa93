// The recipes for sign-in and for TanStack Query in one app: a real OpenID provider,
// the real server, a real browser.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenidProvider, openOpenidProvider } from '../support/openid-provider.js';
import { pageCode } from '../support/pages.js';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import {
  bundled,
  openRecipe,
  openSite,
  openWindow,
  type Project,
  type Site,
  type Window,
} from './project.js';

const PAGE = 'src/clients/client/RECIPES.md';
const APP = `
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient, useOrders, usePay } from './orders.js';
import { api, signInAfter, startSession } from './session.js';

function Orders() {
  const { data, error } = useOrders();
  const pay = usePay();
  useEffect(() => {
    if (error) signInAfter(error).catch((other) => { document.title = String(other); });
  }, [error]);
  if (!data) return null;
  return (
    <main>
      <button id="book" onClick={() => api.orders.create({ customer: 'Neema', service: 'Hem', amount: 9 }).then(() => queryClient.invalidateQueries())}>book</button>
      <p id="count">{data.pagination.total} orders</p>
      {data.items.map(({ id, paid }) => (
        <p key={id} className="order">paid {paid} <button onClick={() => pay.mutate({ id, paid: 9 })}>pay</button></p>
      ))}
      <p id="state">{pay.status}</p>
    </main>
  );
}
await startSession();
createRoot(document.getElementById('root')).render(
  <QueryClientProvider client={queryClient}><Orders /></QueryClientProvider>,
);
`;

let provider: OpenidProvider;
let folder: TemporaryFolder;
let server: ServerProcess;
let project: Project;
let site: Site;
let window: Window;

beforeAll(async () => {
  provider = await openOpenidProvider('our-shop');
  folder = await openTemporaryFolder();
  const issuer = provider.metadata['issuer'] ?? '';
  server = await startServer({
    DATABASE_URL: `file:${folder.path}/service.db`,
    AUTH_ISSUER: issuer,
  });
  const session = pageCode(PAGE, '`session.js`')
    .replace('https://id.example.com', issuer)
    .replace('https://api.example.com', server.origin);
  project = await openRecipe('signed-in-app', {
    'session.js': session,
    'orders.js': pageCode(PAGE, '`orders.js`'),
    'main.jsx': APP,
  });
  const script = await bundled(project, 'main.jsx');
  site = await openSite(() => script);
  window = await openWindow();
});
afterAll(async () => {
  await window?.close();
  site?.close();
  await project?.remove();
  await server?.stop();
  await provider?.close();
  await folder?.remove();
});

it('A signed-out user is led to the provider, signs in, and comes back to an empty account', async () => {
  const { page } = window;
  await page.goto(site.origin);
  await page.locator('input[name=login]').fill('neema');
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByText('Continue').click();
  await page.getByText('0 orders').waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  expect(window.complaints).toEqual([]);
});

it('A payment shows before the service has answered, and stays', async () => {
  const { page } = window;
  await page.locator('#book').click();
  await page.getByText('paid 0').waitFor();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/orders/*', async (route) => {
    if (route.request().method() === 'PATCH') await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'pay' }).click();
  await page.getByText('paid 9').waitFor();
  expect(await page.locator('#state').textContent()).toBe('pending');
  answer();
  await page.getByText('success').waitFor();
  expect(await page.locator('.order').textContent()).toContain('paid 9');
  await page.unroute('**/orders/*');
});

it('A payment that does not arrive shows, and is then removed', async () => {
  const { page } = window;
  await page.locator('#book').click();
  await page.getByText('2 orders').waitFor();
  let fail = () => {};
  const held = new Promise<void>((resolve) => {
    fail = resolve;
  });
  await page.route('**/orders/*', async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await held;
    await route.abort();
  });
  await page.getByText('paid 0').getByRole('button').click();
  await page.getByText('paid 0').waitFor({ state: 'detached' });
  fail();
  await page.getByText('paid 0').waitFor();
  await page.getByText('error').waitFor();
});
