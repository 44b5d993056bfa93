// Pages of an attacker in Chromium, on another port of this machine, against an
// operator who is signed in: the browser itself and the console refuse each.

import { createServer } from 'node:http';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BrowsedConsole, browseConsole, oneProcess } from '../support/console-browser.js';
import { type Loopback, onLoopback } from '../support/loopback.js';

const CHANGE = '/accounts/local-preview/orders/ORD-0001/change';

describe('A page on another port of this machine', () => {
  let browsed: BrowsedConsole;
  let operator: Page;
  let context: BrowserContext;
  let attacker: Loopback;
  let attackerOrigin: string;
  let html: string;

  beforeAll(async () => {
    browsed = await browseConsole(oneProcess);
    operator = await browsed.signedIn();
    context = operator.context();
    const server = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<!doctype html><title>A shop</title>${html}`);
    });
    attacker = await onLoopback(server);
    attackerOrigin = `${attacker.origin}/`;
  });
  afterAll(async () => {
    await attacker?.close();
    await browsed?.close();
  });
  beforeEach(() => {
    html = '';
  });

  it('sends a form without effect, although the cookie goes with it', async () => {
    html = `<form method="post" action="${browsed.console.origin}${CHANGE}"><button>Win</button></form>`;
    const page = await context.newPage();
    await page.goto(attackerOrigin);
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.method() === 'POST'),
      page.getByRole('button').click(),
    ]);
    expect((await request.allHeaders())['cookie']).toContain('console_');
    expect((await request.response())?.status()).toBe(403);
    await expectOrder();
    await page.close();
  });

  it('cannot show the console in a frame', async () => {
    html = `<iframe src="${browsed.console.origin}/accounts" width="900" height="600"></iframe>`;
    const page = await context.newPage();
    await page.goto(attackerOrigin);
    const frame = page.frames()[1];
    expect(await frame?.content()).not.toContain('local-preview');
    await page.close();
  });

  it('reads nothing by script, and loads nothing', async () => {
    const page = await context.newPage();
    await page.goto(attackerOrigin);
    const results = await page.evaluate(`(async () => {
      const url = '${browsed.console.origin}/accounts/local-preview/export';
      const read = await fetch(url, { credentials: 'include' }).then((r) => r.text(), String);
      const blind = await fetch(url, { credentials: 'include', mode: 'no-cors' })
        .then((r) => r.text(), String);
      return [read, blind];
    })()`);
    for (const result of results as string[]) expect(result).not.toContain('ORD-0001');
    await page.close();
  });

  it('cannot control a window that it opens', async () => {
    html = '<button onclick="window.w = window.open(window.target)">Open</button>';
    const page = await context.newPage();
    await page.goto(attackerOrigin);
    await page.evaluate(`window.target = '${browsed.console.origin}/accounts'`);
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('button').click(),
    ]);
    await opened.getByRole('heading', { name: 'Accounts' }).waitFor();
    expect(await opened.evaluate('window.opener')).toBeNull();
    expect(await page.evaluate('w.closed')).toBe(true);
    await opened.close();
    await page.close();
  });

  it('leads by a link to a page that nobody else reads, under its own name alone', async () => {
    const port = new URL(browsed.console.origin).port;
    const rebound = await browsed.browser.newPage();
    // A name of the attacker that leads to this machine.
    const answer = await rebound.goto(`http://attacker.localhost:${port}/sign-in`);
    expect(answer?.status()).toBe(421);
    await rebound.close();
  });

  it('runs no script from a value', async () => {
    const attack =
      '<img src=x onerror="document.title=`owned`"><script>document.title="owned"</script>';
    const { customers } = browsed.client.recordsOf(attack);
    const { id } = await customers.create({ name: attack, phone: attack, [attack]: attack });
    const base = `/accounts/${encodeURIComponent(attack)}`;
    for (const path of ['', `/customers/${id}`, `/customers/${id}/change`, '/erase']) {
      await operator.goto(browsed.console.origin + base + path);
      expect(await operator.title()).not.toBe('owned');
      expect(await operator.locator('main script, main img').count()).toBe(0);
    }
  });

  async function expectOrder(): Promise<void> {
    const order = await browsed.client.recordsOf('local-preview').orders.read('ORD-0001');
    expect(order.id).toBe('ORD-0001');
  }
});
