// The recipes for sign-in and for TanStack Query in one app: a real OpenID provider,
// the real server, a real browser.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageCode } from '../support/pages.js';
import { openSignedInApp, RECIPES, type SignedInApp } from './signed-in-project.js';

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

let app: SignedInApp;

beforeAll(async () => {
  app = await openSignedInApp('signed-in-app', 'main.jsx', {
    'orders.js': pageCode(RECIPES, '`orders.js`'),
    'main.jsx': APP,
  });
});
afterAll(() => app?.close());

it('A signed-out user is led to the provider, signs in, and comes back to an empty account', async () => {
  const { page } = app.window;
  await app.signIn();
  await page.getByText('0 orders').waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  expect(app.window.complaints).toEqual([]);
});

it('A payment shows before the service has answered, and stays', async () => {
  const { page } = app.window;
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
  const { page } = app.window;
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
