// The recipes for sign-in and for a whole app: a real OpenID provider, the real server, a real
// browser, whose network fails in the ways of a phone's.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../support/server-process.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { openOpenidProvider } from './openid-provider.js';
import { openProject, openWindow, recipe } from './project.js';

/** The app behind a real sign-in. `files`: its own, beside `session.js`; `main`: the one that starts it. */
async function openApp(name: string, main: string, files: Readonly<Record<string, string>>) {
  const provider = await openOpenidProvider('our-shop');
  const folder = await openTemporaryFolder();
  const DATABASE_URL = `file:${folder.path}/service.db`;
  const server = await startServer({ DATABASE_URL, AUTH_ISSUER: provider.issuer });
  const session = recipe('session.js')
    .replace('https://id.example.com', provider.issuer)
    .replace('https://api.example.com', server.origin);
  const project = await openProject(name, { 'session.js': session, ...files });
  const window = await openWindow(await project.bundled(main));
  const { page, complaints } = window;
  return {
    page,
    complaints,
    /** Opens the app, signs in at the provider and comes back. */
    async signIn() {
      await page.goto(window.origin);
      await page.locator('input[name=login]').fill('neema');
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await page.getByText('Continue').click();
    },
    async close() {
      await window.close();
      await project.remove();
      await server.stop();
      await provider.close();
      await folder.remove();
    },
  };
}

/** A promise, and the function that resolves it. */
function hold() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
}
type App = Awaited<ReturnType<typeof openApp>>;

describe('The app in an afternoon', () => {
  let app: App;
  beforeAll(async () => {
    const files = { 'drafts.js': recipe('drafts.js'), 'app.jsx': recipe('app.jsx') };
    app = await openApp('afternoon', 'app.jsx', files);
  });
  afterAll(() => app?.close());

  const rows = () => app.page.locator('li').allTextContents();
  const label = (name: string) => app.page.getByLabel(name);
  const press = (name: string) => app.page.getByRole('button', { name }).click();
  const shown = (text: string) => app.page.getByText(text).waitFor();

  async function fill(customer: string, service: string, amount: string): Promise<void> {
    await label('Mteja').fill(customer);
    await label('Huduma').fill(service);
    await label('Kiasi').fill(amount);
  }

  /** Resolves when the service has answered, or the first try has failed. */
  async function book(customer: string, service: string, amount: string): Promise<void> {
    await fill(customer, service, amount);
    await press('Hifadhi');
    await app.page.locator('form:not([inert])').waitFor();
  }

  it('lets a user sign in, and says of each field what is wrong, in Swahili', async () => {
    await app.signIn();
    await app.page.getByRole('heading', { name: 'Madeni' }).waitFor();
    expect(await rows()).toEqual([]);
    await book('Amina Juma', '', '-5');
    await shown('Namba iwe zaidi ya 0');
    const faults = await app.page.locator('em').allTextContents();
    expect(faults).toEqual(['Andika hapa', 'Namba iwe zaidi ya 0']);
    expect(await label('Mteja').inputValue()).toBe('Amina Juma');
  });

  it('shows orders, and finds names while one types', async () => {
    await book('Amina Juma', 'Suruali', '5000');
    await shown('Amina Juma: Suruali');
    await shown('Amina Juma: 5000');
    await book('Neema Müller', 'Kusuka', '9000');
    await shown('Neema Müller: Kusuka');
    await app.page.getByPlaceholder('Tafuta').fill('muller kus');
    await expect.poll(rows).toEqual(['Neema Müller: Kusuka']);
    await app.page.getByPlaceholder('Tafuta').fill('');
  });

  it('sends what was taken without a network; a refused order waits until it is mended or deleted', async () => {
    await app.page.context().setOffline(true);
    await book('Zawadi Temu', 'Kofia', '700');
    await shown('CONNECTION_FAILED');
    await book('Tatu Omari', 'Shati', '-1');
    await book('Juma Kito', '', '900');
    await shown('3 zinasubiri');
    await app.page.context().setOffline(false);
    await shown('Zawadi Temu: Kofia');
    await app.page.reload();
    await shown('2 zinasubiri');
    await press('Jaribu tena');
    await shown('Namba iwe zaidi ya 0');
    await book('Tatu Omari', 'Shati', '1000');
    await shown('Tatu Omari: Shati');
    await shown('Andika hapa');
    await press('Futa');
    await shown('0 zinasubiri');
  });

  it('sends an order once, though its answer was lost', async () => {
    let sent = 0;
    await app.page.route('**/orders', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent++;
      await route.fetch();
      await route.abort();
    });
    await book('Baraka Said', 'Koti', '12000');
    await shown('1 zinasubiri');
    await press('Jaribu tena');
    await shown('Baraka Said: Koti');
    expect(sent).toBe(1);
    await app.page.unroute('**/orders');
  });

  it('sends an order once, though the button is tapped twice and the network comes back', async () => {
    const sent: string[] = [];
    const { held: isHeard, release: letGo } = hold();
    await app.page.route('**/orders', async (route) => {
      if (route.request().method() === 'POST') {
        sent.push(route.request().postDataJSON().customer);
        await isHeard;
      }
      await route.continue();
    });
    await fill('Pendo Ally', 'Gauni', '8000');
    await app.page.getByRole('button', { name: 'Hifadhi' }).dblclick();
    await expect.poll(() => sent).toEqual(['Pendo Ally']);
    await app.page.evaluate(() => globalThis.dispatchEvent(new Event('online')));
    const waiting = 'navigator.locks.query().then(({ pending }) => pending.length)';
    await expect.poll(() => app.page.evaluate(waiting)).toBe(1);
    letGo();
    await shown('Pendo Ally: Gauni');
    expect(sent).toEqual(['Pendo Ally']);
    await app.page.unroute('**/orders');
  });

  it('sends what was taken while a token was refused, once the user has signed in again', async () => {
    await app.page.evaluate(`
      const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'));
      const user = JSON.parse(sessionStorage[key]);
      sessionStorage[key] = JSON.stringify({ ...user, access_token: 'expired' });`);
    await book('Hamisi Ali', 'Viatu', '300');
    await app.page.getByText('Continue').click();
    await shown('Hamisi Ali: Viatu');
    expect(app.complaints).toEqual([]);
  });
});
