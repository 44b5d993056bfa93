// A day of an operator in Chromium, also by keyboard alone; and an attacker's
// page, which the browser and the console refuse.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { browseConsole } from '../support/console-browser.js';
import { onLoopback } from '../support/loopback.js';

const SALON = 'auth0|saluni-ya-neema';

describe('An operator', () => {
  let browsed: Awaited<ReturnType<typeof browseConsole>>;
  let page: Page;
  const link = (name: string | RegExp) => page.getByRole('link', { name }).first().click();
  const press = (name: string) => page.getByRole('button', { name }).click();
  const see = (text: string) => page.getByText(text).waitFor();

  beforeAll(async () => {
    browsed = await browseConsole();
    const { businesses, customers, orders } = browsed.client.recordsOf(SALON);
    await businesses.create({ businessName: 'Saluni ya Neema' });
    await customers.create({ name: 'Rehema <script>alert(1)</script>', phone: '0713 445 210' });
    await orders.create({ customer: 'Rehema', service: 'Box braids', amount: 45_000 });
    await browsed.client.recordsOf('keyboard').customers.create({ name: 'Asha', phone: '1' });
  });
  afterAll(() => browsed?.close());

  it('has a whole day', async () => {
    const complaints: string[] = [];
    page = await browsed.signedIn({ acceptDownloads: true });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));

    // Finds the account by the name that the caller gives, and mends an order.
    await page.getByLabel('Find an account').fill('saluni ya neema');
    await page.keyboard.press('Enter');
    await link('Saluni ya Neema');
    await see('1 in all');
    await link(/^ORD-/);
    await link(/^Change$/);
    await page.getByLabel('Amount').fill('18000');
    await press('Save');
    await see('Saved.');
    await see('18,000 TZS');

    // Adds a customer with a property of its own, once, and deletes it.
    await page.locator('main').getByRole('link', { name: SALON }).first().click();
    await link(/^Customers/);
    await link('Add customer');
    await page.getByLabel('Name').fill('Juma');
    await page.getByLabel('Phone').fill('1');
    await page.getByLabel('Other properties').fill('{"likes":["hem"]}');
    await page.getByRole('button', { name: 'Create' }).dblclick();
    await see('Created.');
    await link(/^Change$/);
    await page.getByText('Delete this record').click();
    await press('Delete it');
    await see('Deleted.');
    await see('1 in all');

    // Takes the account's orders out.
    await link(/^Orders/);
    const [download] = await Promise.all([page.waitForEvent('download'), link('Download CSV')]);
    expect(await readFile(await download.path(), 'utf8')).toContain(',18000,');
    await press('Sign out');
    await page.goto(`${browsed.console.origin}/accounts`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('does it with the keyboard only', async () => {
    page = await browsed.signedIn();
    for (const [begins, field, typed, seen] of [
      ['', 'q', 'keyboard', '1 account with “keyboard”'],
      ['keyboard', '', '', '1 in all'],
      ['CUS-', '', '', 'JSON'],
      ['Change', '', '', 'Change CUS-'],
      ['', 'field.phone', '0784', 'Saved.'],
    ] as const) {
      await tabTo(begins, field);
      await page.keyboard.type(typed);
      await page.keyboard.press('Enter');
      await page.getByText(seen).first().waitFor();
    }
    await page.close();
  });

  /** Presses Tab until what has the focus begins with the text, or is the input of that name. */
  async function tabTo(text: string, name: string): Promise<void> {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate(
        `[document.activeElement?.textContent ?? '', document.activeElement?.name ?? '']`,
      );
      const [content = '', input] = found as string[];
      if (name === '' ? content.trim().startsWith(text) : input === name) return;
    }
    throw new Error(`Tab does not reach "${text}${name}"`);
  }
});

it('A page on another port sends no form, frames and reads no page, and controls no window that it opens', async () => {
  const browsed = await browseConsole();
  onTestFinished(() => browsed.close());
  const { origin } = browsed.console;
  const operator = (await browsed.signedIn()).context();
  const attacker = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><title>A shop</title><iframe src="${origin}/accounts"></iframe>
      <button onclick="window.w = window.open('${origin}/accounts')">Open</button>
      <form method="post" action="${origin}/accounts/local-preview/orders/ORD-0001/change">
      <button name="do" value="delete">Win</button></form>`);
  });
  const { origin: shop, close } = await onLoopback(attacker);
  onTestFinished(close);
  const page = await operator.newPage();
  await page.goto(shop);
  expect(await page.frames()[1]?.content()).not.toContain('local-preview');
  const results = await page.evaluate(`Promise.all(['cors', 'no-cors'].map((mode) =>
    fetch('${origin}/accounts/local-preview/orders/csv', { credentials: 'include', mode })
      .then((answer) => answer.text(), String)))`);
  expect(String(results)).not.toMatch(/ORD-0001/);
  const [window] = await Promise.all([
    operator.waitForEvent('page'),
    page.getByRole('button', { name: 'Open' }).click(),
  ]);
  await window.getByRole('heading', { name: 'Accounts' }).waitFor();
  expect(await window.evaluate('window.opener')).toBeNull();
  expect(await page.evaluate('w.closed')).toBe(true);
  const [request] = await Promise.all([
    page.waitForRequest((sent) => sent.method() === 'POST'),
    page.getByRole('button', { name: 'Win' }).click(),
  ]);
  // The cookie goes with it, because cookies ignore ports.
  expect((await request.allHeaders())['cookie']).toContain('console_');
  expect((await request.response())?.status()).toBe(403);
  await browsed.client.recordsOf('local-preview').orders.read('ORD-0001');
});

it('A link on another site leads a signed-in operator to its page', async () => {
  const browsed = await browseConsole();
  onTestFinished(() => browsed.close());
  const target = `${browsed.console.origin}/accounts?q=local`;
  const chat = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><title>Chat</title><a href="${target}">The account</a>`);
  });
  const { origin, close } = await onLoopback(chat);
  onTestFinished(close);
  const page = await browsed.signedIn();
  // Another site than 127.0.0.1.
  await page.goto(origin.replace('127.0.0.1', 'localhost'));
  await page.getByRole('link', { name: 'The account' }).click();
  await page.getByRole('heading', { name: 'Accounts' }).waitFor();
  expect(page.url()).toBe(target);
});
