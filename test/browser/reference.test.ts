// The preview's API reference in a real browser: it comes up with no request
// beyond this machine, and "try it" reaches the API across origins.

import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  interrupted,
  type PreviewProcess,
  printed,
  spawnPreview,
} from '../support/preview-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const ARTIFACTS = fileURLToPath(new URL('../../data/browser/', import.meta.url));

interface Seen {
  readonly ids: readonly string[];
}

describe('The API reference', () => {
  let folder: TemporaryFolder;
  let preview: PreviewProcess;
  /** Where the page is, and where the API. */
  let reference: string;
  let api: string;
  let browser: Browser;
  let page: Page;
  /** Every address that the page asked for. */
  let asked: URL[];
  let complaints: string[];

  beforeAll(async () => {
    mkdirSync(ARTIFACTS, { recursive: true });
    folder = await openTemporaryFolder();
    preview = spawnPreview(folder.path);
    const text = await printed(preview);
    reference = /Reference {2}(\S+)/.exec(text)?.[1] ?? '';
    api = new URL(/runs at (\S+)/.exec(text)?.[1] ?? '').origin;
    // Containers give no user namespaces and little shared memory.
    const args = ['--no-sandbox', '--disable-dev-shm-usage'];
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  });
  afterAll(async () => {
    await browser?.close();
    await interrupted(preview);
    await folder.remove();
  });

  beforeEach(async () => {
    asked = [];
    complaints = [];
    page = await browser.newPage();
    page.on('request', (request) => asked.push(new URL(request.url())));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(reference);
    await page.getByRole('heading', { name: 'Service Management API' }).waitFor();
  });

  it('loads from this machine alone, without a complaint', async () => {
    for (const name of ['orders', 'payments', 'Admin views', 'About the API']) {
      await page.getByRole('heading', { name, exact: true }).waitFor();
    }
    const hosts = asked
      .filter(({ protocol }) => protocol !== 'data:')
      .map(({ hostname }) => hostname);
    expect(new Set(hosts)).toEqual(new Set(['127.0.0.1']));
    expect(complaints).toEqual([]);
  });

  it('has one request to send at once, as the account of the sample shop', async () => {
    expect(await page.getByLabel('You are the account').inputValue()).toBe('local-preview');
    await page.locator('.first').getByRole('button', { name: 'Send' }).click();
    const answer = page.locator('.first .reply');
    await answer.getByText('200 OK').waitFor();
    const text = (await answer.textContent()) ?? '';
    for (const id of ['ORD-0001', 'ORD-0002', 'ORD-0003', 'ORD-0004']) expect(text).toContain(id);
    const [sent] = asked.filter(({ pathname }) => pathname === '/api/v1/orders');
    expect(sent?.origin).toBe(api);
    expect(sent?.origin).not.toBe(new URL(reference).origin);
    expect(complaints).toEqual([]);
  });

  it('sends another request as another account', async () => {
    await page.getByLabel('You are the account').fill('local-amina');
    await page.locator('.first').getByRole('button', { name: 'Send' }).click();
    await page.locator('.first .reply').getByText('"total": 0').waitFor();
    expect(await page.locator('.first .curl').textContent()).toContain('Bearer local-amina');
  });

  it('every operation of an account succeeds as it is shown', async () => {
    const operations = await page.locator('.operation:not(:has-text("/admin/"))').all();
    const ids = await Promise.all(operations.map((operation) => operation.getAttribute('id')));
    // Deletions last, because the other operations need the records.
    const sorted = [...ids].sort(
      (a, b) => Number(/^delete/.test(`${a}`)) - Number(/^delete/.test(`${b}`)),
    );
    expect(sorted.length).toBe(32);
    for (const id of sorted) {
      const operation = page.locator(`#${id}`);
      await operation.locator('summary').first().click();
      await operation.getByRole('button', { name: 'Send' }).click();
      const outcome = operation.locator('.reply strong');
      await outcome.waitFor();
      expect([id, await outcome.textContent()]).toEqual([id, expect.stringMatching(/^20[01]/)]);
      await operation.locator('summary').first().click();
    }
    expect(complaints).toEqual([]);
  });

  it('does not offer to try the administration API, whose key no browser may send', async () => {
    const operation = page.locator('#adminOverview');
    await operation.locator('summary').first().click();
    await operation.getByText('no browser may send the admin key').waitFor();
    expect(await operation.getByRole('button').count()).toBe(0);
    expect(await operation.locator('.curl').textContent()).toContain('$ADMIN_API_KEY');
    expect(await page.getByText('X-Service-Admin-Key').locator('visible=true').count()).toBe(1);
  });

  it('finds operations by a text, and opens the one that a link names', async () => {
    await page.getByLabel('Find an operation').fill('payments');
    await page.locator('#listOrders').waitFor({ state: 'hidden' });
    expect(await page.locator('#listPayments').isVisible()).toBe(true);
    await page.goto(`${reference}#createTeamMember`);
    await page.reload();
    await page.locator('#createTeamMember textarea').waitFor();
  });

  it.each(['light', 'dark'] as const)('fits screen and phone (%s)', async (colorScheme) => {
    for (const width of [1280, 390]) {
      const other = await browser.newPage({ viewport: { width, height: 860 }, colorScheme });
      await other.goto(reference);
      const operation = other.locator('#updateOrder');
      await operation.locator('summary').first().click();
      await operation.getByText('customFields').first().waitFor();
      const widths = await other.evaluate('[document.documentElement.scrollWidth, innerWidth]');
      expect(widths).toEqual([width, width]);
      // No word is broken into letters: no name of a field is higher than two lines.
      const heights = operation
        .locator('td code')
        .evaluateAll((codes) =>
          codes.map((code) => code.clientHeight || code.getBoundingClientRect().height),
        );
      expect(Math.max(...(await heights))).toBeLessThan(50);
      await other.screenshot({
        path: `${ARTIFACTS}reference-${colorScheme}-${width}.png`,
        fullPage: true,
      });
      await other.close();
    }
  });

  it('is beside a client that works in a browser, from another origin', async () => {
    const files = createServer((request, response) => {
      const [, name = ''] = /^\/(client(?:-shared)?\.js)$/.exec(request.url ?? '') ?? [];
      response.setHeader('Content-Type', name === '' ? 'text/html' : 'text/javascript');
      response.end(name === '' ? '<title>A shop</title>' : readFileSync(join(DIST, name)));
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    try {
      await page.goto(`http://127.0.0.1:${(files.address() as AddressInfo).port}/`);
      // As text: what builds this file would put its own import into a function.
      const seen: Seen = await page.evaluate(`(async () => {
        const { createClient, ApiError } = await import('/client.js');
        const { orders } = createClient({ baseUrl: '${api}/api/v1', token: 'local-preview' });
        const ids = [];
        for await (const { id } of orders.all({ page_size: 3 })) ids.push(id);
        const error = await orders.read('ORD-9999').catch((reason) => reason);
        return { ids, code: error.code, requestId: error.requestId, own: error instanceof ApiError };
      })()`);
      expect(seen.ids).toEqual(['ORD-0004', 'ORD-0003', 'ORD-0002', 'ORD-0001']);
      // Readable across origins, since the service exposes the header.
      expect(seen).toMatchObject({
        code: 'NOT_FOUND',
        requestId: expect.stringMatching(/^req_/),
        own: true,
      });
    } finally {
      files.closeAllConnections();
      files.close();
    }
  });
});
