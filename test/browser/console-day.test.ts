// A day of an operator in Chromium, whole, against one process and against
// Workers; by mouse, by keyboard alone, and without script.

import { readFile } from 'node:fs/promises';
import { strFromU8, unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrowsedConsole,
  browseConsole,
  oneProcess,
  workers,
} from '../support/console-browser.js';

const SALON = 'auth0|saluni-ya-neema';

describe.each([oneProcess, workers])('An operator of $name', (service) => {
  let browsed: BrowsedConsole;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    browsed = await browseConsole(service);
    const { businesses, customers, orders } = browsed.client.recordsOf(SALON);
    await businesses.create({ businessName: 'Saluni ya Neema' });
    await customers.create({ name: 'Rehema <script>alert(1)</script>', phone: '0713 445 210' });
    for (const amount of [45_000, 85_000, 15_000]) {
      await orders.create({ customer: 'Rehema', service: 'Box braids', amount });
    }
    await untilListed();
  });
  afterAll(() => browsed?.close());

  it.each([true, false])(
    'has a whole day: from the sign-in to the erasure (script: %s)',
    async (javaScriptEnabled) => {
      complaints = [];
      // The second day finds the order as the first one left it.
      const amount = javaScriptEnabled ? 18_000 : 19_000;
      page = await browsed.signedIn({ javaScriptEnabled, acceptDownloads: true });
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));

      // Finds the account by the name that the caller gives.
      await page.getByLabel('Find an account').fill('saluni ya neema');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Saluni ya Neema' }).click();
      await page.getByRole('heading', { name: 'Saluni ya Neema' }).waitFor();
      await page.getByText('3 in all').waitFor();

      // Mends an order; a wrong value is refused where it stands.
      await page.getByRole('link', { name: /^ORD-/ }).first().click();
      const id = (await page.locator('h1 small').innerText()).trim();
      await page.getByRole('link', { name: 'Change', exact: true }).click();
      await page.getByLabel('Amount').fill('-1');
      await page.getByLabel('Assignee').fill('Asha Komba');
      await page.getByRole('button', { name: 'Save' }).click();
      const problem = page.locator('[id="field.amount-problem"]');
      expect(await problem.innerText()).toBe('amount is -1; it must be a number above 0');
      expect(await page.getByLabel('Assignee').inputValue()).toBe('Asha Komba');
      expect(complaintsBut422(complaints)).toEqual([]);
      complaints.length = 0;
      await page.getByLabel('Amount').fill(String(amount));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.getByText(`${amount / 1000},000 TZS`).waitFor();

      // Adds a customer with a property of its own, then deletes it.
      await page.locator('main').getByRole('link', { name: SALON }).first().click();
      await page.getByRole('link', { name: /^Customers/ }).click();
      await page.getByRole('link', { name: 'Add customer' }).click();
      await page.getByLabel('Name').fill('Juma');
      await page.getByLabel('Phone').fill('1');
      await page.getByLabel('Other properties').fill('{"likes":["hem"]}');
      await page.getByRole('button', { name: 'Create' }).dblclick();
      await page.getByText('Created.').waitFor();
      const customer = (await page.locator('h1 small').innerText()).trim();
      await page.getByRole('link', { name: 'Change', exact: true }).click();
      await page.getByText('Delete this record').click();
      await page.getByRole('button', { name: 'Delete it' }).click();
      await page.getByText('Deleted.').waitFor();

      // Sees all of it in the audit log.
      await page.getByRole('link', { name: 'Audit' }).click();
      await page.getByLabel('Account').fill(SALON);
      await page.getByRole('button', { name: 'Filter' }).click();
      const events = await page.locator('tbody tr').allInnerTexts();
      const seen = events.slice(0, 3).map((row) => row.replace(/\s+/g, ' '));
      expect(seen[0]).toContain(`delete ${customer}`);
      expect(seen[1]).toContain(`create ${customer}`);
      expect(seen[2]).toContain(`update ${id}`);

      // Takes the account's records out.
      await page.goto(`${browsed.console.origin}/accounts/${encodeURIComponent(SALON)}/orders`);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export' }).click(),
      ]);
      const files = unzipSync(await readFile(await download.path()));
      expect(strFromU8(files['orders.csv'] ?? new Uint8Array())).toContain(`,${amount},`);

      // Erases the account, and puts it back for the next one.
      if (!javaScriptEnabled) await erase();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.goto(`${browsed.console.origin}/accounts`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(complaints).toEqual([]);
      await page.close();
    },
    120_000,
  );

  it('does it with the keyboard only', async () => {
    await browsed.client.recordsOf('keyboard').customers.create({ name: 'Asha', phone: '1' });
    page = await browsed.signedIn();
    await tabTo('', 'q');
    await page.keyboard.type('keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('1 account with “keyboard”').waitFor();
    await tabTo('keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('1 in all').waitFor();
    await tabTo('CUS-');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'JSON' }).waitFor();
    await tabTo('Change');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Change CUS-' }).waitFor();
    await tabTo('', 'field.phone');
    await page.keyboard.type('0784');
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    await page.close();
  });

  /** Presses Tab until what has the focus begins with the text, or is the input of that name. */
  async function tabTo(text: string, name = ''): Promise<void> {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate(
        `[document.activeElement?.textContent ?? '', document.activeElement?.name ?? '']`,
      );
      const [content = '', input] = found as string[];
      if (name === '' ? content.trim().startsWith(text) : input === name) return;
    }
    throw new Error(`Tab does not reach "${text}"`);
  }

  async function erase(): Promise<void> {
    await page.getByRole('link', { name: 'Erase' }).click();
    await page.getByLabel('Type the subject').fill('auth0|saluni');
    await page.getByRole('button', { name: 'Erase all its records' }).click();
    await page.getByText('Nothing was erased').waitFor();
    complaints.length = 0;
    await page.getByLabel('Type the subject').fill(SALON);
    await page.getByRole('button', { name: 'Erase all its records' }).click();
    for (;;) {
      const text = await page.locator('main').innerText();
      if (text.includes('The account is erased')) break;
      expect(text).toContain('Erasing');
      await page.getByRole('link', { name: 'Refresh' }).click();
    }
    await expect(browsed.client.accounts.read(SALON)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await page.goto(`${browsed.console.origin}/accounts?q=${encodeURIComponent(SALON)}`);
    await page.getByText('0 accounts with').waitFor();
  }

  /** On Workers the list of accounts follows a moment later. */
  async function untilListed(): Promise<void> {
    for (;;) {
      const { items } = await browsed.client.accounts.list({ q: SALON });
      if (items[0]?.record_count === 5) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
});

/** Chromium writes a refusal's status into its console. */
function complaintsBut422(complaints: readonly string[]): string[] {
  return complaints.filter((text) => !text.includes('422'));
}
