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
    for (const tag of ['orders', 'payments', 'Admin views']) {
      await page.locator(`[data-tag="${tag}"]`).waitFor();
    }
    const hosts = asked
      .filter(({ protocol }) => protocol !== 'data:')
      .map(({ hostname }) => hostname);
    expect(new Set(hosts)).toEqual(new Set(['127.0.0.1']));
    expect(complaints).toEqual([]);
  });

  it('lists the sample orders when that is tried', async () => {
    await open('orders', 'GET', '/orders');
    await page.getByRole('button', { name: 'Execute' }).click();
    const answer = page.locator('.live-responses-table .response').first();
    await answer.getByText('ORD-0001').first().waitFor();
    const text = (await answer.textContent()) ?? '';
    for (const id of ['ORD-0001', 'ORD-0002', 'ORD-0003', 'ORD-0004']) expect(text).toContain(id);
    expect(text).toContain('local-preview');
    const [sent] = asked.filter(({ pathname }) => pathname === '/api/v1/orders');
    expect(sent?.origin).toBe(api);
    expect(sent?.origin).not.toBe(new URL(reference).origin);
    expect(complaints).toEqual([]);
    await page.screenshot({ path: `${ARTIFACTS}orders.png`, fullPage: true });
  });

  it('changes a record when that is tried, preflight and all', async () => {
    await open('customers', 'POST', '/customers');
    await page.getByRole('button', { name: 'Execute' }).click();
    const answer = page.locator('.live-responses-table .response').first();
    await answer.getByText('CUS-0005').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('does not offer to try the administration API, whose key no browser may send', async () => {
    await open('Admin views', 'GET', '/admin/overview');
    await page.getByText('Count accounts and records').first().waitFor();
    expect(await page.getByRole('button', { name: /Execute|Try it out/ }).count()).toBe(0);
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

  /** Unfolds an operation. */
  async function open(tag: string, method: string, path: string): Promise<void> {
    await page.locator(`[data-tag="${tag}"]`).click();
    const operation = page.locator('.opblock', {
      has: page.locator(`.opblock-summary-method:text-is("${method}")`),
    });
    await operation.locator(`.opblock-summary-path[data-path="${path}"]`).first().click();
  }
});
