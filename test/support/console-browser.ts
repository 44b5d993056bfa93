// The operator's console in a real browser, and the check of its pages: no violation of WCAG 2.2 A
// and AA by axe-core, no horizontal scrolling, and a screenshot.

import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { createOperatorClient } from '../../src/operator-client.js';
import { portOf, startConsoleProcess } from './console-visitor.js';
import { ADMIN_KEY } from './contract.js';
import { openNodeService } from './node-service.js';
import { operationsOf } from './operations.js';

export function startChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  // Containers have no user namespaces and little shared memory.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** Signs in to a console on a page of the browser. */
export async function signIn(page: Page, console: { readonly origin: string }, code: string) {
  await page.goto(`${console.origin}/`);
  await page.getByLabel('Code').fill(code);
  await page.keyboard.press('Enter');
}

/** A console in front of `node dist/server.js` with a backup and its operations port; `front`: what runs in front of that. */
export async function browseConsole(front = async (operations: string) => operations) {
  const { folder, start, close } = await openNodeService();
  const BACKUP_DIR = join(folder, 'backups');
  mkdirSync(BACKUP_DIR);
  const server = await start({ ADMIN_API_KEY: ADMIN_KEY, BACKUP_DIR, OPS_PORT: '0' });
  await server.saw('"event":"backup_taken"');
  const SERVICE_URL = `${server.origin}/api/v1`;
  const port = portOf(await front(operationsOf(server)));
  const console = await startConsoleProcess({ ADMIN_API_KEY: ADMIN_KEY, SERVICE_URL, ...port });
  const browser = await startChromium();
  return {
    console,
    browser,
    server,
    client: createOperatorClient({ baseUrl: SERVICE_URL, adminKey: ADMIN_KEY }),
    /** A signed-in page with its own cookies. */
    async signedIn(): Promise<Page> {
      const page = await browser.newPage();
      await signIn(page, console, console.code());
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      return page;
    },
    async close() {
      await browser.close();
      await console.stop();
      await close();
    },
  };
}

/** Screenshots for a person to look at; not kept in the repository. */
const ARTIFACTS = fileURLToPath(new URL('../../data/browser/', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export const SCREENS = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const;
export type Screen = (typeof SCREENS)[number];

export async function expectAccessible(
  page: Page,
  name: string,
  { width, colorScheme }: Screen,
): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({
    path: `${ARTIFACTS}console-${name}-${width}-${colorScheme}.png`,
    fullPage: true,
  });
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  expect(wide, `${name} scrolls horizontally`).toBeLessThanOrEqual(width);
  // No table has to be scrolled to show a column.
  const cut = await page.evaluate(
    `[...document.querySelectorAll('.scroll')].filter((part) => part.scrollWidth > part.clientWidth)
      .map((part) => part.ariaLabel + ': ' + part.scrollWidth + ' of ' + part.clientWidth)`,
  );
  expect(cut, name).toEqual([]);
  await page.evaluate(AXE);
  const violations = await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(TAGS)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  );
  expect(violations, name).toEqual([]);
}
