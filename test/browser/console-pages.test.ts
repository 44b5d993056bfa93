// Every page of the console in Chromium: no violation of WCAG 2.2 A and AA by
// axe-core, no sideways scroll, light and dark, wide and narrow; and pictures.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ARTIFACTS,
  type BrowsedConsole,
  browseConsole,
  oneProcess,
} from '../support/console-browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

const ORDER = '/accounts/local-preview/orders/ORD-0002';
const PAGES = {
  overview: '/',
  accounts: '/accounts',
  'accounts-none': '/accounts?q=nobody+has+this',
  orders: '/accounts/local-preview/orders',
  payments: '/accounts/local-preview/payments',
  'long-values': '/accounts/fundi%7Ccherehani/customers',
  'empty-tab': '/accounts/fundi%7Ccherehani/team',
  unknown: '/accounts/nobody',
  record: ORDER,
  change: `${ORDER}/change`,
  new: '/accounts/local-preview/services/new',
  delete: `${ORDER}/delete`,
  erase: '/accounts/local-preview/erase',
  audit: '/audit',
  'audit-search': '/audit?collection=orders&action=create',
  health: '/health',
  missing: '/nothing-here',
} as const;

const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const;

let browsed: BrowsedConsole;

beforeAll(async () => {
  browsed = await browseConsole(oneProcess);
  await fill();
});
afterAll(() => browsed?.close());

describe.each(LOOKS)('At $width pixels, $colorScheme', ({ width, colorScheme }) => {
  let page: Page;
  const look = { viewport: { width, height: 900 }, colorScheme };

  beforeAll(async () => {
    page = await browsed.signedIn(look);
  });
  afterAll(() => page?.close());

  it.each(Object.entries(PAGES))('the page %s is without violation', async (name, path) => {
    await page.goto(browsed.console.origin + path);
    await judge(page, name);
  });

  it('the page sign-in is without violation, also after a wrong code', async () => {
    const stranger = await browsed.browser.newPage(look);
    await stranger.goto(`${browsed.console.origin}/sign-in`);
    await judge(stranger, 'sign-in');
    await stranger.close();
  });

  it('a form with problems, a conflict and a question is without violation', async () => {
    const path = `${browsed.console.origin}${ORDER}/change`;
    await page.goto(path);
    await page.getByLabel('Amount').fill('-1');
    await page.getByLabel('Customer').fill('');
    await page.getByRole('button', { name: 'Save these fields' }).click();
    await judge(page, 'change-refused');
    await page.goto(path);
    await page.getByLabel('Template').fill('');
    await page.getByRole('button', { name: 'Save these fields' }).click();
    await judge(page, 'change-removed');
    await page.goto(path);
    const { orders } = browsed.client.recordsOf('local-preview');
    const { paid = 0 } = await orders.read('ORD-0002');
    await orders.update('ORD-0002', { paid: paid + 500 });
    await page.getByLabel('Assignee').fill('Asha Komba and Hamisi Ngowi together');
    await page.getByRole('button', { name: 'Save these fields' }).click();
    await page.getByText('Somebody changed this record meanwhile').waitFor();
    await judge(page, 'change-conflict');
  });

  async function judge(judged: Page, name: string): Promise<void> {
    await judged.screenshot({
      path: `${ARTIFACTS}console-${name}-${width}-${colorScheme}.png`,
      fullPage: true,
    });
    const wide = await judged.evaluate('document.documentElement.scrollWidth');
    expect(wide, `${name} scrolls sideways`).toBeLessThanOrEqual(width);
    await judged.evaluate(AXE);
    const violations = await judged.evaluate(
      `axe.run({ runOnly: ${JSON.stringify(TAGS)} }).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
    );
    expect(violations, name).toEqual([]);
  }
});

/** A few shops, so that the pages have something to show. */
async function fill(): Promise<void> {
  const shops = [
    ['auth0|saluni-ya-neema', 'Saluni ya Neema'],
    ['google-oauth2|118220040403', 'Duka la Juma'],
    ['fundi|cherehani', 'Fundi Cherehani'],
  ] as const;
  for (const [index, [shop, businessName]] of shops.entries()) {
    const { businesses, customers, orders, expenses } = browsed.client.recordsOf(shop);
    await businesses.create({ businessName });
    for (let made = 0; made < 9 + 8 * index; made++) {
      const name = ['Neema Mushi', 'Juma Ally', 'Rehema Mwakyusa'][made % 3] ?? '';
      await customers.create({ name, phone: `+255 713 44${made}`, location: 'Kariakoo' });
      await orders.create({
        customer: name,
        service: 'Box braids',
        amount: 15_000 + 5_000 * made,
        paid: made % 2 === 0 ? 15_000 : 0,
        date: '2026-01-14T07:15:00Z',
      });
    }
    await expenses.create({
      description: 'LUKU',
      category: 'Power',
      date: '2026-01-10',
      amount: 9,
    });
  }
  await browsed.client.recordsOf('fundi|cherehani').customers.create({
    name: 'x'.repeat(300),
    phone: 'no space '.repeat(40),
    email: 'a@b',
    ['k'.repeat(200)]: 'v'.repeat(2_000),
  });
  const { orders } = browsed.client.recordsOf('local-preview');
  await orders.update('ORD-0003', { status: 'In progress', paid: 5_000 });
}
