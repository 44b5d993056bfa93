// A recipe's app behind a real sign-in: an OpenID provider, the server, the page's
// `session.js`, and a browser that has opened the app and signed in.

import { type OpenidProvider, openOpenidProvider } from '../support/openid-provider.js';
import { pageCode } from '../support/pages.js';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import {
  bundled,
  openRecipe,
  openSite,
  openWindow,
  type Project,
  type Site,
  type Window,
} from './project.js';

export const RECIPES = 'src/clients/client/RECIPES.md';

export interface SignedInApp {
  readonly window: Window;
  /** Opens the app, signs in at the provider and comes back. */
  signIn(): Promise<void>;
  close(): Promise<void>;
}

/** `files`: the app's own, beside `session.js`; `main`: the one that starts it. */
export async function openSignedInApp(
  name: string,
  main: string,
  files: Readonly<Record<string, string>>,
): Promise<SignedInApp> {
  const provider: OpenidProvider = await openOpenidProvider('our-shop');
  const folder: TemporaryFolder = await openTemporaryFolder();
  const issuer = provider.metadata['issuer'] ?? '';
  const server: ServerProcess = await startServer({
    DATABASE_URL: `file:${folder.path}/service.db`,
    AUTH_ISSUER: issuer,
  });
  const session = pageCode(RECIPES, '`session.js`')
    .replace('https://id.example.com', issuer)
    .replace('https://api.example.com', server.origin);
  const project: Project = await openRecipe(name, { 'session.js': session, ...files });
  const script = await bundled(project, main);
  const site: Site = await openSite(() => script);
  const window = await openWindow();
  return {
    window,
    async signIn() {
      const { page } = window;
      await page.goto(site.origin);
      await page.locator('input[name=login]').fill('neema');
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await page.getByText('Continue').click();
    },
    async close() {
      await window.close();
      site.close();
      await project.remove();
      await server.stop();
      await provider.down();
      await folder.remove();
    },
  };
}
