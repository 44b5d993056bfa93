// The recipes for sign-in and for a whole app: a real OpenID provider, the real server, React in a
// real browser, whose network fails as a phone's does.

import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { listenLocally } from '../support/listen.js';
import { pageCode } from '../support/pages.js';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { openFolder, type TestFolder } from '../support/test-folder.js';
import { bundled, MODULES, openWindow } from './project.js';

/** The code of a recipe on the page, such as `session.js`. */
const recipe = (file: string) =>
  pageCode('src/clients/client/README.md', `\`${file}\``, file.split('.')[1]);

let provider: Awaited<ReturnType<typeof openOpenidProvider>>;
let folder: TestFolder;
let server: ServerProcess;
let window: Awaited<ReturnType<typeof openWindow>>;
let page: Page;

/** The app behind a real sign-in. */
beforeAll(async () => {
  provider = await openOpenidProvider();
  folder = await openFolder();
  const DATABASE_URL = `file:${folder.path}/service.db`;
  server = await startServer({ DATABASE_URL, AUTH_ISSUER: provider.issuer });
  const session = recipe('session.js')
    .replace('https://id.example.com', provider.issuer)
    .replace('https://api.example.com', server.origin);
  const [drafts, app] = [recipe('drafts.js'), recipe('app.jsx')];
  const files = { 'session.js': session, 'drafts.js': drafts, 'app.jsx': app };
  window = await openWindow(await bundled(files, 'app.jsx'));
  page = window.page;
});
afterAll(async () => {
  await window?.close();
  await server?.stop();
  await provider?.close();
  await folder?.remove();
});

const press = (name: string) => page.getByRole('button', { name }).click();
const shown = (text: string) => page.getByText(text).waitFor();

/** Resolves when the service has responded, or the first attempt has failed. */
async function book(customer: string, service: string, amount: string): Promise<void> {
  await page.getByLabel('Mteja').fill(customer);
  await page.getByLabel('Huduma').fill(service);
  await page.getByLabel('Kiasi').fill(amount);
  await press('Hifadhi');
  await page.locator('form:not([inert])').waitFor();
}

it('The app lets a user sign in, shows what is wrong with each field, and finds names as the user types', async () => {
  await page.goto(window.origin);
  await page.locator('input[name=login]').fill('neema');
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByText('Continue').click();
  await page.getByRole('heading', { name: 'Madeni' }).waitFor();
  await book('Neema Müller', '', '-5');
  await shown('Namba iwe zaidi ya 0');
  expect(await page.locator('em').allTextContents()).toEqual([
    'Andika hapa',
    'Namba iwe zaidi ya 0',
  ]);
  await book('Neema Müller', 'Kusuka', '9000');
  await shown('Neema Müller: 9000');
  await page.getByPlaceholder('Tafuta').fill('muller kus');
  const rows = () => page.locator('li').allTextContents();
  await expect.poll(rows).toEqual(['Neema Müller: Kusuka']);
  await page.getByPlaceholder('Tafuta').fill('');
});

it('The app sends orders taken offline; a refused order waits until it is corrected', async () => {
  await page.context().setOffline(true);
  await book('Zawadi Temu', 'Kofia', '700');
  await shown('CONNECTION_FAILED');
  await book('Tatu Omari', 'Shati', '-1');
  await page.context().setOffline(false);
  await shown('Zawadi Temu: Kofia');
  await page.reload();
  await shown('1 zinasubiri');
  await press('Jaribu tena');
  await shown('Namba iwe zaidi ya 0');
  await book('Tatu Omari', 'Shati', '1000');
  await shown('Tatu Omari: Shati');
  await shown('0 zinasubiri');
});

it('The app sends an order once, even if its response was lost', async () => {
  let sent = 0;
  await page.route('**/orders', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    sent++;
    await route.fetch();
    await route.abort();
  });
  onTestFinished(() => page.unroute('**/orders'));
  await book('Baraka Said', 'Koti', '12000');
  await shown('1 zinasubiri');
  await press('Jaribu tena');
  await shown('Baraka Said: Koti');
  expect(sent).toBe(1);
});

it('The app sends orders taken while its token was refused, once the user has signed in again', async () => {
  await page.evaluate(`
    const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'));
    const user = JSON.parse(sessionStorage[key]);
    sessionStorage[key] = JSON.stringify({ ...user, access_token: 'expired' });`);
  await book('Hamisi Ali', 'Viatu', '300');
  await page.getByText('Continue').click();
  await shown('Hamisi Ali: Viatu');
  expect(window.complaints).toEqual([]);
});

/** oidc-provider from npm: a public client for any local page, and opaque access tokens. */
async function openOpenidProvider() {
  const server = createServer();
  const { origin: issuer, close } = await listenLocally(server);
  // Imported here, because this package prints notices when it is loaded.
  const name = join(MODULES, 'oidc-provider/lib/index.js');
  const library: { Provider: new (...of: unknown[]) => { callback(): RequestListener } } =
    await import(name);
  const provider = new library.Provider(issuer, {
    clients: [
      {
        client_id: 'our-shop',
        redirect_uris: ['http://127.0.0.1/signed-in'],
        application_type: 'native',
        token_endpoint_auth_method: 'none',
      },
    ],
    cookies: { keys: [crypto.randomUUID()] },
    features: { devInteractions: { enabled: true } },
    scopes: ['openid', 'profile'],
    clientBasedCORS: () => true,
    findAccount: async (_context: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
  });
  server.on('request', provider.callback());
  return { issuer, close };
}
