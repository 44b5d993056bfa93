// The preview's API reference in Chromium: it loads without a request to another machine, and
// "try it" reaches the API across origins.

import { expect, it, onTestFinished } from 'vitest';
import { startChromium } from '../support/console-browser.js';
import { OPERATIONS } from '../support/openapi-document.js';
import { startPreview } from '../support/server-process.js';
import { openFolder } from '../support/test-folder.js';

it('The reference lists every operation, can try those of an account, from this machine only, and none of the administration API, whose key no browser may send', async () => {
  const folder = await openFolder();
  onTestFinished(() => folder.remove());
  const preview = await startPreview(folder.path);
  onTestFinished(async () => void (await preview.stop('SIGINT')));
  const text = preview.output();
  const reference = /Reference {2}(\S+)/.exec(text)?.[1] ?? '';
  const api = new URL(/runs at (\S+)/.exec(text)?.[1] ?? '').origin;
  expect(api).not.toBe(new URL(reference).origin);
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ colorScheme: 'dark' });
  const hosts = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:') hosts.add(hostname);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));

  // A link to an operation opens it.
  await page.goto(`${reference}#/orders/createOrder`);
  await page.locator('.opblock').first().waitFor();
  const shown = await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id));
  const all = OPERATIONS.map(({ object }) => object.operationId);
  expect(shown.map((id) => id.split('-').at(-1) ?? '').sort()).toEqual([...all].sort());
  const order = page.locator('#operations-orders-createOrder');
  const [request] = await Promise.all([
    page.waitForRequest((sent) => sent.url().startsWith(api) && sent.method() === 'POST'),
    order.getByRole('button', { name: 'Execute' }).click(),
  ]);
  // The token of the sample shop.
  expect(await request.headerValue('authorization')).toBe('Bearer local-preview');
  const status = order.locator('.live-responses-table tbody .response-col_status').first();
  expect(await status.textContent()).toBe('201');
  // In the system's colour scheme, with no column cut off on a phone.
  expect(await page.locator('html.dark-mode').count()).toBe(1);
  expect(await order.locator('.response-col_links').first().isVisible()).toBe(false);
  const views = page.locator('.opblock[id$="-adminOverview"]');
  await views.locator('.opblock-summary-control').click();
  await views.getByText('Responses').waitFor();
  expect(await views.getByRole('button', { name: /Execute|Try it out/ }).count()).toBe(0);
  expect([hosts, complaints]).toEqual([new Set(['127.0.0.1']), []]);
});
