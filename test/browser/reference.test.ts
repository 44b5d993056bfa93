// The preview's API reference in a real browser: it comes up with no request
// beyond this machine, and "try it" reaches the API across origins.

import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startChromium } from '../support/console-browser.js';
import { onLoopback } from '../support/loopback.js';
import { OPERATIONS } from '../support/openapi-document.js';
import type { Program } from '../support/program.js';
import { printed, spawnPreview } from '../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const ARTIFACTS = fileURLToPath(new URL('../../data/browser/', import.meta.url));

/** Swagger UI draws each operation anew: 32 of them take 1 to 2 minutes on two cores that other programs use. */
const EVERY_OPERATION_MS = 300_000;

describe('The API reference', () => {
  let folder: TemporaryFolder;
  let preview: Program;
  /** Where the page is, and where the API. */
  let reference: string;
  let api: string;
  let browser: Browser;
  let page: Page;
  /** Every address that the page asked for. */
  let asked: URL[];
  /** What it sent to the API, preflights left out. */
  let sent: Request[];
  let complaints: string[];

  beforeAll(async () => {
    mkdirSync(ARTIFACTS, { recursive: true });
    folder = await openTemporaryFolder();
    preview = spawnPreview(folder.path);
    const text = await printed(preview);
    reference = /Reference {2}(\S+)/.exec(text)?.[1] ?? '';
    api = new URL(/runs at (\S+)/.exec(text)?.[1] ?? '').origin;
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await preview.stop('SIGINT');
    await folder.remove();
  });

  beforeEach(async () => {
    asked = [];
    complaints = [];
    sent = [];
    page = await browser.newPage();
    page.on('request', (request) => {
      asked.push(new URL(request.url()));
      if (request.url().startsWith(`${api}/`) && request.method() !== 'OPTIONS') sent.push(request);
    });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(reference);
    await page.locator('.opblock').first().waitFor();
  });

  /** The operation of that id, opened. */
  async function opened(id: string): Promise<Locator> {
    const operation = page.locator(`.opblock[id$="-${id}"]`);
    await operation.locator('.opblock-summary-control').click();
    return operation;
  }

  /** Sends the operation as it is shown. Resolves with the status of the answer, and closes it again. */
  async function statusOf(id: string): Promise<string> {
    const operation = await opened(id);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const status = operation.locator('.live-responses-table tbody .response-col_status').first();
    await status.waitFor();
    const text = (await status.textContent()) ?? '';
    await operation.locator('.opblock-summary-control').click();
    return text;
  }

  function hostsAsked(): Set<string> {
    const network = asked.filter(({ protocol }) => protocol !== 'data:');
    return new Set(network.map(({ hostname }) => hostname));
  }

  it('shows every operation, and loads from this machine alone, without a complaint', async () => {
    const shown = await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id));
    const ids = shown.map((id) => id.split('-').at(-1) ?? '');
    expect(ids.sort()).toEqual(OPERATIONS.map(({ object }) => object.operationId).sort());
    expect(hostsAsked()).toEqual(new Set(['127.0.0.1']));
    expect(complaints).toEqual([]);
  });

  it(
    'sends every operation of an account as it is shown, with the token of the sample shop',
    async () => {
      const ids = OPERATIONS.filter(({ name }) => !name.includes('/admin/')).map(
        ({ object }) => object.operationId,
      );
      // Deletions last, because the other operations need the records.
      const sorted = ids.sort(
        (a, b) => Number(a.startsWith('delete')) - Number(b.startsWith('delete')),
      );
      expect(sorted.length).toBe(32);
      for (const id of sorted) {
        expect([id, await statusOf(id)]).toEqual([id, id.startsWith('create') ? '201' : '200']);
      }
      const methods = sent.map((request) => request.method());
      expect(new Set(methods)).toEqual(new Set(['GET', 'POST', 'PATCH', 'DELETE']));
      for (const request of sent) {
        expect(new URL(request.url()).origin).toBe(api);
        if (!request.url().endsWith('/health')) {
          expect(await request.headerValue('authorization')).toBe('Bearer local-preview');
        }
      }
      expect(api).not.toBe(new URL(reference).origin);
      expect(hostsAsked()).toEqual(new Set(['127.0.0.1']));
      expect(complaints).toEqual([]);
    },
    EVERY_OPERATION_MS,
  );

  it('sends as another account whose token is given', async () => {
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.getByText('local-preview owns the sample shop').waitFor();
    await page.getByRole('button', { name: 'Remove authorization' }).click();
    const token = page.locator('#auth-bearer-value');
    await token.fill('local-amina');
    await token.press('Enter');
    await page.locator('.close-modal').click();
    expect(await statusOf('listOrders')).toBe('200');
    expect(await sent.at(-1)?.headerValue('authorization')).toBe('Bearer local-amina');
  });

  it('opens what a link names, and does not offer to try the administration API, whose key no browser may send', async () => {
    await page.goto(`${reference}#/team/createTeamMember`);
    await page.reload();
    await page.locator('#operations-team-createTeamMember textarea').waitFor();
    const operation = await opened('adminOverview');
    await operation.getByText('Responses').waitFor();
    expect(await operation.getByRole('button', { name: /Execute|Try it out/ }).count()).toBe(0);
  });

  it.each(['light', 'dark'] as const)('fits screen and phone (%s)', async (colorScheme) => {
    for (const width of [1280, 390]) {
      await page.close();
      page = await browser.newPage({ viewport: { width, height: 860 }, colorScheme });
      await page.goto(reference);
      const operation = await opened('updateOrder');
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.locator('.live-responses-table').waitFor();
      const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
      expect(widths).toEqual([width, width]);
      const path = `${ARTIFACTS}reference-${colorScheme}-${width}.png`;
      await page.screenshot({ path, fullPage: true });
      expect(await page.evaluate("document.documentElement.classList.contains('dark-mode')")).toBe(
        colorScheme === 'dark',
      );
    }
  });

  it('is beside a client that works in a browser, from another origin', async () => {
    const files = createServer((request, response) => {
      const [, name = ''] = /^\/(client(?:-shared)?\.js)$/.exec(request.url ?? '') ?? [];
      response.setHeader('Content-Type', name === '' ? 'text/html' : 'text/javascript');
      response.end(name === '' ? '<title>A shop</title>' : readFileSync(join(DIST, name)));
    });
    const site = await onLoopback(files);
    try {
      await page.goto(`${site.origin}/`);
      // As text: what builds this file would put its own import into a function.
      const seen = await page.evaluate(`(async () => {
        const { createClient, ApiError } = await import('/client.js');
        const { orders } = createClient({ baseUrl: '${api}/api/v1', token: 'local-preview' });
        const { pagination } = await orders.list();
        let listed = 0;
        for await (const _ of orders.all({ page_size: 2 })) listed++;
        const error = await orders.read('ORD-9999').catch((reason) => reason);
        return [listed === pagination.total, error.code, error.requestId, error instanceof ApiError];
      })()`);
      // The request id is readable across origins, since the service exposes the header.
      expect(seen).toEqual([true, 'NOT_FOUND', expect.stringMatching(/^req_/), true]);
    } finally {
      await site.close();
    }
  });
});
