// The preview's API reference in Chromium: it comes up with no request beyond this machine, and
// "try it" reaches the API across origins.

import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startChromium } from '../support/console-browser.js';
import { OPERATIONS } from '../support/openapi-document.js';
import type { Program } from '../support/program.js';
import { printed, spawnPreview } from '../support/server-process.js';
import { openFolder, type TestFolder } from '../support/test-folder.js';

let folder: TestFolder;
let preview: Program;
/** Where the page is, and where the API. */
let reference: string;
let api: string;
let browser: Browser;
let page: Page;
/** The hosts that the page asked. */
let hosts: Set<string>;
/** What it sent to the API, preflights left out. */
let sent: Request[];
let complaints: string[];

beforeAll(async () => {
  folder = await openFolder();
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
  [hosts, complaints, sent] = [new Set(), [], []];
  page = await browser.newPage();
  page.on('request', (request) => {
    const { protocol, hostname, origin } = new URL(request.url());
    if (protocol !== 'data:') hosts.add(hostname);
    if (origin === api && request.method() !== 'OPTIONS') sent.push(request);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(reference);
  await page.locator('.opblock').first().waitFor();
  return () => page.close();
});

/** The operation of that id. */
const operationOf = (id: string) => page.locator(`.opblock[id$="-${id}"]`);

/** Sends the operation as it is shown. Resolves with the status of the answer, and closes it again. */
async function statusOf(id: string): Promise<string> {
  const operation = operationOf(id);
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  const status = operation.locator('.live-responses-table tbody .response-col_status').first();
  const text = (await status.textContent()) ?? '';
  await operation.locator('.opblock-summary-control').click();
  return text;
}

it('The reference shows every operation, and sends each of an account as it is shown, from this machine alone', async () => {
  const shown = await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id));
  const all = OPERATIONS.map(({ object }) => object.operationId);
  expect(shown.map((id) => id.split('-').at(-1) ?? '').sort()).toEqual([...all].sort());
  const ids = OPERATIONS.filter(({ name }) => !name.includes('/admin/'))
    .map(({ object }) => object.operationId)
    // Deletions last, because the other operations need the records.
    .sort((a, b) => Number(a.startsWith('delete')) - Number(b.startsWith('delete')));
  expect(ids).toHaveLength(32);
  for (const id of ids) {
    expect([id, await statusOf(id)]).toEqual([id, id.startsWith('create') ? '201' : '200']);
  }
  const methods = new Set(sent.map((request) => request.method()));
  expect(methods).toEqual(new Set(['GET', 'POST', 'PATCH', 'DELETE']));
  for (const request of sent.filter((each) => !each.url().endsWith('/health'))) {
    // The token of the sample shop.
    expect(await request.headerValue('authorization')).toBe('Bearer local-preview');
  }
  expect(api).not.toBe(new URL(reference).origin);
  expect([hosts, complaints]).toEqual([new Set(['127.0.0.1']), []]);
});

it('The reference opens what a link names, and does not offer to try the administration API, whose key no browser may send', async () => {
  await page.goto(`${reference}#/team/createTeamMember`);
  await page.reload();
  await page.locator('#operations-team-createTeamMember textarea').waitFor();
  const operation = operationOf('adminOverview');
  await operation.locator('.opblock-summary-control').click();
  await operation.getByText('Responses').waitFor();
  expect(await operation.getByRole('button', { name: /Execute|Try it out/ }).count()).toBe(0);
});
