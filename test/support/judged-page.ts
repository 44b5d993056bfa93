// Judges a page in Chromium: no violation of WCAG 2.2 A and AA by axe-core, no sideways
// scroll; and a picture of it that a person looks at.

import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Pictures that a person looks at; not kept in the repository. */
const ARTIFACTS = fileURLToPath(new URL('../../data/browser/', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const;
export type Look = (typeof LOOKS)[number];

export async function judge(page: Page, name: string, { width, colorScheme }: Look): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({
    path: `${ARTIFACTS}console-${name}-${width}-${colorScheme}.png`,
    fullPage: true,
  });
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  expect(wide, `${name} scrolls sideways`).toBeLessThanOrEqual(width);
  // No column hides behind a scroll of its table.
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
