// Every page of the console in Chromium: no violation of WCAG 2.2 A and AA by
// axe-core, no sideways scroll, light and dark, wide and narrow; and pictures.

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import {
  type BrowsedConsole,
  browseConsole,
  judge,
  LOOKS,
  oneProcess,
} from '../support/console-browser.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { makeShopsFile } from '../support/messy-shops.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

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
  erase: '/accounts/local-preview/erase',
  audit: '/audit',
  'audit-search': '/audit?collection=orders&action=create',
  'audit-day': '/audit?day=2026-01-01&account=nobody',
  'phone-search': '/accounts?q=%2B255+713+4411',
  health: '/health',
  missing: '/nothing-here',
} as const;

let folder: TemporaryFolder;
let identity: Awaited<ReturnType<typeof openIdentityStub>>;
let browsed: BrowsedConsole;

beforeAll(async () => {
  folder = await openTemporaryFolder();
  identity = await openIdentityStub(undefined, { seesStart: true });
  const file = join(folder.path, 'filled.db');
  await makeShopsFile(file);
  browsed = await browseConsole(oneProcess, {
    DATABASE_URL: `file:${file}`,
    AUTH_USERINFO_URL: identity.url,
  });
  const { orders } = browsed.client.recordsOf('local-preview');
  await orders.update('ORD-0003', { status: 'In progress', paid: 5_000 });
});
afterAll(async () => {
  await browsed?.close();
  await identity?.close();
  await folder?.remove();
});

describe.each(LOOKS)('At $width pixels, $colorScheme', (look) => {
  let page: Page;
  const { width, colorScheme } = look;
  const context = { viewport: { width, height: 900 }, colorScheme };

  beforeAll(async () => {
    page = await browsed.signedIn(context);
  });
  afterAll(() => page?.close());

  it.each(Object.entries(PAGES))('the page %s is without violation', async (name, path) => {
    await page.goto(browsed.console.origin + path);
    await judge(page, name, look);
  });

  it('the page sign-in is without violation, also after a wrong code', async () => {
    const stranger = await browsed.browser.newPage(context);
    await stranger.goto(`${browsed.console.origin}/sign-in`);
    await judge(stranger, 'sign-in', look);
    await stranger.close();
  });

  it('a form with problems and a conflict is without violation', async () => {
    const path = `${browsed.console.origin}${ORDER}/change`;
    await page.goto(path);
    await page.getByLabel('Amount').fill('-1');
    await page.getByLabel('Customer').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await judge(page, 'change-refused', look);
    await page.goto(path);
    const { orders } = browsed.client.recordsOf('local-preview');
    const { paid = 0 } = await orders.read('ORD-0002');
    await orders.update('ORD-0002', { paid: paid + 500 });
    await page.getByLabel('Assignee').fill('Asha Komba and Hamisi Ngowi together');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Someone changed this record').waitFor();
    await judge(page, 'change-conflict', look);
  });
});
