// An operator's day in Chromium, and an attacker's page, which the browser and the console block.

import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { browseConsole } from '../support/console-browser.js';
import { listenLocally } from '../support/listen.js';

const SALON = 'auth0|saluni-ya-neema';

let browsed: Awaited<ReturnType<typeof browseConsole>>;
let page: Page;

beforeAll(async () => {
  browsed = await browseConsole();
  const { businesses, customers, orders } = browsed.client.recordsOf(SALON);
  await businesses.create({ businessName: 'Saluni ya Neema' });
  await customers.create({ name: 'Rehema <script>alert(1)</script>', phone: '0713 445 210' });
  await orders.create({ customer: 'Rehema', service: 'Box braids', amount: 45_000 });
});
afterAll(() => browsed?.close());

beforeEach(async () => {
  page = await browsed.signedIn();
  return () => page.context().close();
});

it('An operator does a day of work', async () => {
  const link = (name: string | RegExp) => page.getByRole('link', { name }).first().click();
  const press = (name: string) => page.getByRole('button', { name }).click();
  const see = (text: string) => page.getByText(text).waitFor();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));

  // Finds the account by the caller's business name, and corrects an order.
  await page.getByLabel('Find an account').fill('saluni ya neema');
  await page.keyboard.press('Enter');
  await link('Saluni ya Neema');
  await see('1 in all');
  await link(/^ORD-/);
  await link(/^Change$/);
  await page.getByLabel('Amount').fill('18000');
  await press('Save');
  await see('18,000 TZS');

  // Adds a customer with a custom property, once, and deletes it.
  await page.locator('main').getByRole('link', { name: SALON }).first().click();
  await link(/^Customers/);
  await link('Add customer');
  await page.getByLabel('Name').fill('Juma');
  await page.getByLabel('Phone').fill('1');
  await page.getByLabel('Other properties').fill('{"likes":["hem"]}');
  await page.getByRole('button', { name: 'Create' }).dblclick();
  await link(/^Change$/);
  await page.getByText('Delete this record').click();
  await press('Delete it');
  await see('Deleted.');
  await see('1 in all');

  await press('Sign out');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(complaints).toEqual([]);
});

/** A page of another program on this machine. */
async function openShop(html: string): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><title>A shop</title>${html}`);
  });
  const { origin, close } = await listenLocally(server);
  onTestFinished(close);
  return origin;
}

it('A page on another port can’t submit a form, or frame or read a page', async () => {
  const { origin } = browsed.console;
  await page.goto(
    await openShop(`<iframe src="${origin}/accounts"></iframe>
      <form method="post" action="${origin}/accounts/local-preview/orders/ORD-0001/change">
      <button name="do" value="delete">Win</button></form>`),
  );
  expect(await page.frames()[1]?.content()).not.toContain('local-preview');
  const results = await page.evaluate(`Promise.all(['cors', 'no-cors'].map((mode) =>
    fetch('${origin}/accounts/local-preview/orders/csv', { credentials: 'include', mode })
      .then((answer) => answer.text(), String)))`);
  expect(String(results)).not.toMatch(/ORD-0001/);
  const [request] = await Promise.all([
    page.waitForRequest((sent) => sent.method() === 'POST'),
    page.getByRole('button', { name: 'Win' }).click(),
  ]);
  // The cookie is sent too, because cookies ignore ports.
  expect((await request.allHeaders())['cookie']).toContain('console_');
  expect((await request.response())?.status()).toBe(403);
  await browsed.client.recordsOf('local-preview').orders.read('ORD-0001');
});

it('A link on another site opens its page for a signed-in operator', async () => {
  const target = `${browsed.console.origin}/accounts?q=local`;
  const shop = await openShop(`<a href="${target}">The account</a>`);
  // Another site than 127.0.0.1.
  await page.goto(shop.replace('127.0.0.1', 'localhost'));
  await page.getByRole('link', { name: 'The account' }).click();
  await page.getByRole('heading', { name: 'Accounts' }).waitFor();
  expect(page.url()).toBe(target);
});
