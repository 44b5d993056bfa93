// A real browser, and how it signs in to the operator's console.

import { type Browser, chromium, type Page } from 'playwright-core';

export function startChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  // Containers give no user namespaces and little shared memory.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** Signs in to a console on a page of the browser. */
export async function signIn(page: Page, console: { readonly origin: string }, code: string) {
  await page.goto(`${console.origin}/`);
  await page.getByLabel('Code').fill(code);
  await page.keyboard.press('Enter');
}
