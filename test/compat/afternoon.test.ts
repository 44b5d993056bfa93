// The recipe for a whole app: a real OpenID provider, the real server, a real browser, whose
// network fails in the ways of a phone's.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageCode } from '../support/pages.js';
import { openSignedInApp, RECIPES, type SignedInApp } from './signed-in-project.js';

const LINES_MAX = 100;

let app: SignedInApp;

beforeAll(async () => {
  app = await openSignedInApp('afternoon', 'app.jsx', {
    'drafts.js': pageCode(RECIPES, '`drafts.js`'),
    'app.jsx': pageCode(RECIPES, '`app.jsx`', 'jsx'),
  });
});
afterAll(() => app?.close());

const rows = () => app.window.page.locator('li');

async function fill(customer: string, service: string, amount: string): Promise<void> {
  const { page } = app.window;
  await page.getByLabel('Mteja').fill(customer);
  await page.getByLabel('Huduma').fill(service);
  await page.getByLabel('Kiasi').fill(amount);
}

/** Resolves when the service has answered, or the first try has failed. */
async function book(customer: string, service: string, amount: string): Promise<void> {
  await fill(customer, service, amount);
  await app.window.page.getByRole('button', { name: 'Hifadhi' }).click();
  await app.window.page.locator('form:not([inert])').waitFor();
}

it('The app has at most 100 lines of code, the sign-in included', () => {
  const lines = [
    pageCode(RECIPES, '`session.js`'),
    pageCode(RECIPES, '`drafts.js`'),
    pageCode(RECIPES, '`app.jsx`', 'jsx'),
  ].flatMap((code) => code.split('\n').map((line) => line.trim()));
  const isCode = (line: string) => line !== '' && !/^(\/\/|\/\*\*)/.test(line);
  expect(lines.filter(isCode).length).toBeLessThanOrEqual(LINES_MAX);
});

it('A user signs in at the provider and sees an empty account', async () => {
  const { page } = app.window;
  await app.signIn();
  await page.getByRole('heading', { name: 'Madeni' }).waitFor();
  expect(await rows().count()).toBe(0);
});

it('The form says of each field what is wrong, in Swahili, and keeps the rest', async () => {
  const { page } = app.window;
  await book('Amina Juma', '', '-5');
  await page.getByText('Namba iwe zaidi ya 0').waitFor();
  expect(await page.locator('em').allTextContents()).toEqual([
    'Andika hapa',
    'Namba iwe zaidi ya 0',
  ]);
  expect(await page.getByLabel('Mteja').inputValue()).toBe('Amina Juma');
  await book('Amina Juma', 'Suruali', '');
  await page.getByText('Andika namba').waitFor();
});

it('An order shows in the list, and among the payments that are due', async () => {
  const { page } = app.window;
  await book('Amina Juma', 'Suruali', '5000');
  await page.getByText('Amina Juma: Suruali').waitFor();
  await page.getByText('Amina Juma: 5000').waitFor();
  expect(await page.locator('em').count()).toBe(0);
  expect(await page.getByLabel('Mteja').inputValue()).toBe('');
});

it('The search finds names while one types, and no names of properties', async () => {
  const { page } = app.window;
  await book('Neema Müller', 'Kusuka', '9000');
  await page.getByText('Neema Müller: Kusuka').waitFor();
  await page.getByPlaceholder('Tafuta').fill('am');
  expect(await rows().allTextContents()).toEqual(['Amina Juma: Suruali']);
  await page.getByPlaceholder('Tafuta').fill('muller kus');
  expect(await rows().allTextContents()).toEqual(['Neema Müller: Kusuka']);
  await page.getByPlaceholder('Tafuta').fill('');
});

it('An order that is taken without a network is sent when the network is back', async () => {
  const { page } = app.window;
  await page.context().setOffline(true);
  await book('Zawadi Temu', 'Kofia', '700');
  await page.getByText('CONNECTION_FAILED').waitFor();
  await page.getByText('1 zinasubiri').waitFor();
  expect(await page.getByLabel('Mteja').inputValue()).toBe('');
  await page.context().setOffline(false);
  await page.getByText('Zawadi Temu: Kofia').waitFor();
  expect(await page.getByRole('alert').textContent()).toBe('');
});

it('Orders that were taken without a network and are refused wait until they are mended or deleted', async () => {
  const { page } = app.window;
  await page.context().setOffline(true);
  await book('Tatu Omari', 'Shati', '-1');
  await book('Juma Kito', '', '900');
  await page.getByText('2 zinasubiri').waitFor();
  await page.context().setOffline(false);
  await expect.poll(() => page.getByRole('alert').textContent()).toBe('');
  await page.reload();
  await page.getByText('2 zinasubiri').waitFor();
  await page.getByRole('button', { name: 'Jaribu tena' }).click();
  await page.getByText('Namba iwe zaidi ya 0').waitFor();
  await book('Tatu Omari', 'Shati', '1000');
  await page.getByText('Tatu Omari: Shati').waitFor();
  await page.getByText('Andika hapa').waitFor();
  expect(await page.getByLabel('Mteja').inputValue()).toBe('Juma Kito');
  await page.getByRole('button', { name: 'Futa' }).click();
  await page.getByText('0 zinasubiri').waitFor();
});

it('An order whose answer was lost is not sent a second time', async () => {
  const { page } = app.window;
  let sent = 0;
  await page.route('**/orders', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    sent++;
    await route.fetch();
    await route.abort();
  });
  await book('Baraka Said', 'Koti', '12000');
  await page.getByText('1 zinasubiri').waitFor();
  await page.getByRole('button', { name: 'Jaribu tena' }).click();
  await page.getByText('0 zinasubiri').waitFor();
  await page.getByText('Baraka Said: Koti').waitFor();
  expect(sent).toBe(1);
  await page.unroute('**/orders');
});

it('An order is sent once, though the button is tapped twice and the network comes back meanwhile', async () => {
  const { page } = app.window;
  const sent: string[] = [];
  let letGo = (): void => undefined;
  const isHeard = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/orders', async (route) => {
    if (route.request().method() === 'POST') {
      sent.push(route.request().postDataJSON().customer);
      await isHeard;
    }
    await route.continue();
  });
  await fill('Pendo Ally', 'Gauni', '8000');
  await page.getByRole('button', { name: 'Hifadhi' }).dblclick();
  await expect.poll(() => sent).toEqual(['Pendo Ally']);
  await page.evaluate(() => globalThis.dispatchEvent(new Event('online')));
  const waiting = 'navigator.locks.query().then(({ pending }) => pending.length)';
  await expect.poll(() => page.evaluate(waiting)).toBe(1);
  letGo();
  await page.getByText('Pendo Ally: Gauni').waitFor();
  await book('Rehema Ali', 'Sketi', '4000');
  await page.getByText('Rehema Ali: Sketi').waitFor();
  expect(sent).toEqual(['Pendo Ally', 'Rehema Ali']);
  await page.unroute('**/orders');
});

it('A user whose token is refused signs in again, and what was taken meanwhile is sent', async () => {
  const { page } = app.window;
  await page.evaluate(() => {
    const { sessionStorage } = globalThis as unknown as { sessionStorage: Record<string, string> };
    const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:')) ?? '';
    const user = JSON.parse(sessionStorage[key] ?? '');
    sessionStorage[key] = JSON.stringify({ ...user, access_token: 'expired' });
  });
  await book('Hamisi Ali', 'Viatu', '300');
  await page.getByText('Continue').click();
  await page.getByText('Hamisi Ali: Viatu').waitFor();
  expect(app.window.complaints).toEqual([]);
});
