// Every page of the console in Chromium, with thirty shops and every health issue: axe-core finds
// no violation of WCAG 2.2 A and AA, and nothing scrolls sideways, light and dark, wide and narrow.
// Also takes screenshots, one of them for the front page.

import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REASONS, WARNINGS } from '../../src/hosts/operations/health-issues.js';
import type { OperatorClient } from '../../src/operator-client.js';
import {
  browseConsole,
  expectAccessible,
  SCREENS,
  type Screen,
  signIn,
} from '../support/console-browser.js';
import { type LocalServer, listenLocally } from '../support/listen.js';

const PICTURE = fileURLToPath(new URL('../../src/tools/console/overview.png', import.meta.url));
const ORDERS = '/accounts/local-preview/orders';
const FORM = `${ORDERS}/ORD-0002/change`;

/** The path of a page, or what leads to it. */
type Shown = string | ((page: Page) => Promise<unknown>);

const PAGES: Readonly<Record<string, Shown>> = {
  overview: '/',
  health: '/health',
  accounts: '/accounts',
  orders: ORDERS,
  payments: '/accounts/local-preview/payments',
  'long-values': '/accounts/fundi%7Ccherehani/customers',
  unknown: '/accounts/nobody',
  missing: '/nothing-here',
  record: `${ORDERS}/ORD-0002`,
  change: FORM,
  new: '/accounts/local-preview/services/new',
  audit: '/audit',
  'audit-search': '/audit?collection=orders&action=create',
  async 'change-refused'(page) {
    await page.goto(FORM);
    await page.getByLabel('Amount').fill('-1');
    await page.getByLabel('Customer').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Nothing was saved').waitFor();
  },
  async 'change-conflict'(page) {
    await page.goto(FORM);
    const { orders } = client.recordsOf('local-preview');
    const { paid = 0 } = await orders.read('ORD-0002');
    await orders.update('ORD-0002', { paid: paid + 500 });
    await page.getByLabel('Assignee').fill('Asha Komba and Hamisi Ngowi together');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Someone changed this record').waitFor();
  },
};

const NAMED = [
  ['auth0|saluni-ya-neema', 'Saluni ya Neema'],
  ['fundi|cherehani', 'Fundi Cherehani'],
  ['..', 'Nukta mbili'],
  ['a b/c?d#e', 'A & B <b>Traders</b> “Ltd”'],
  ['张伟', '张伟的手机维修店'],
  ['مرحبا', 'صالون الياسمين'],
  [`auth0|${'x'.repeat(200)}`, 'Jina refu '.repeat(12).trim()],
  ['no-profile', ''],
] as const;

let browsed: Awaited<ReturnType<typeof browseConsole>>;
let operations: LocalServer;
let client: OperatorClient;
/** A signed-in page for each screen. */
const pages = new Map<Screen, Page>();
/** Replaces parts of what the operations port reports. */
let trouble = {};

beforeAll(async () => {
  browsed = await browseConsole(async (url) => {
    operations = await openBusyHour(url);
    return operations.origin;
  });
  client = browsed.client;
  await fillShops();
  // Once each, because five sign-ins a minute are allowed, and each screen takes two.
  for (const screen of SCREENS) pages.set(screen, await signedIn(screen));
});
afterAll(async () => {
  await browsed?.close();
  await operations?.close();
});

/** The operations port of the service, as if it had been busy for an hour. */
function openBusyHour(url: string): Promise<LocalServer> {
  const port = createServer(async (_, response) => {
    const status = (await (await fetch(`${url}/status`)).json()) as object;
    const from = new Date().toISOString();
    const last_hour = Array.from({ length: 60 }, (_, minute) => ({
      from,
      to: from,
      failed: 0,
      p95_seconds: minute % 7 === 3 ? 0.01 : 0.005,
      requests: 90 + ((minute * 37) % 61) + Math.round(40 * Math.sin(minute / 9)),
    }));
    response.end(JSON.stringify({ ...status, last_hour, ...trouble }));
  });
  return listenLocally(port);
}

async function signedIn(screen: Screen): Promise<Page> {
  const { width, colorScheme } = screen;
  const viewport = { width, height: 800 };
  const baseURL = browsed.console.origin;
  const page = await (
    await browsed.browser.newContext({ viewport, colorScheme, baseURL })
  ).newPage();
  await signIn(page, browsed.console, 'WRONG');
  await page.getByText('Wrong code').waitFor();
  await expectAccessible(page, 'sign-in', screen);
  await signIn(page, browsed.console, browsed.console.code());
  await page.getByRole('link', { name: 'Health' }).waitFor();
  return page;
}

async function expectAllAccessible(
  page: Page,
  screen: Screen,
  all: Readonly<Record<string, Shown>>,
  text = '',
) {
  for (const [name, shown] of Object.entries(all)) {
    await (typeof shown === 'string' ? page.goto(shown) : shown(page));
    expect(await page.locator('main').innerText()).toContain(text);
    await expectAccessible(page, name, screen);
  }
}

it('The front page’s picture shows the overview of a busy service, and is small', async () => {
  const page = pages.get(SCREENS[0]) as Page;
  await page.locator('.plot rect').nth(50).waitFor({ state: 'attached' });
  await page.screenshot({ path: PICTURE });
  expect((await stat(PICTURE)).size).toBeLessThan(150_000);
});

it.each(SCREENS)(
  'Every page is accessible, with any health issue, at $width pixels, $colorScheme',
  async (screen) => {
    const page = pages.get(screen) as Page;
    await expectAllAccessible(page, screen, PAGES);
    const since = { failing_since: '2026-01-14T14:02:11.482Z', failing_reason: 'SQLITE_IOERR' };
    const [reasons, warnings] = [Object.keys(REASONS), Object.keys(WARNINGS)];
    trouble = { ready: false, reasons, warnings, writes: { waiting: 0, ...since } };
    const both = { 'trouble-overview': '/', 'trouble-health': '/health' };
    await expectAllAccessible(page, screen, both, 'Not ready');
    trouble = {};
  },
);

it('Every page is accessible while the service is down', async () => {
  await Promise.all([browsed.server.stop(), operations.close()]);
  const both = { 'down-overview': '/', 'down-accounts': '/accounts' };
  for (const [screen, page] of pages)
    await expectAllAccessible(page, screen, both, 'does not respond');
});

/** Thirty shops with realistic names, so that pages have content. */
async function fillShops(): Promise<void> {
  for (let shop = 0; shop < 30; shop++) {
    const [subject, businessName] = NAMED[shop] ?? [`auth0|shop-${shop}`, `Duka ${shop}`];
    const { businesses, customers, orders } = client.recordsOf(subject);
    if (businessName !== '') await businesses.create({ businessName });
    const made = NAMED.map(async ([, name], i) => {
      if (name === '') return;
      await customers.create({ name, phone: `+255 713 44${i}`, location: 'Kariakoo' });
      const order = { customer: name, service: 'Box braids', amount: 15_000 + 500 * i };
      await orders.create({ ...order, paid: (i % 2) * 15_000, date: '2026-01-14T07:15:00Z' });
    });
    await Promise.all(made);
  }
  const [name, phone] = ['x'.repeat(300), 'no space '.repeat(40)];
  const long = { name, phone, email: 'a@b', ['k'.repeat(200)]: 'v'.repeat(2_000) };
  await client.recordsOf('fundi|cherehani').customers.create(long);
}
