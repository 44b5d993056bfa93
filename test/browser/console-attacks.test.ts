// Pages of an attacker in Chromium, on another port of this machine, against an
// operator who is signed in: the browser itself and the console refuse each.

import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowsedConsole, browseConsole, oneProcess } from '../support/console-browser.js';
import { type Loopback, onLoopback } from '../support/loopback.js';

const CHANGE = '/accounts/local-preview/orders/ORD-0001/change';

describe('A page on another port of this machine', () => {
  let browsed: BrowsedConsole;
  let operator: Page;
  let attacker: Loopback;
  let html = '';

  beforeAll(async () => {
    browsed = await browseConsole(oneProcess);
    operator = await browsed.signedIn();
    const server = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<!doctype html><title>A shop</title>${html}`);
    });
    attacker = await onLoopback(server);
  });
  afterAll(async () => {
    await attacker?.close();
    await browsed?.close();
  });

  /** The attacker's page in the operator's browser. */
  async function opened(content: string): Promise<Page> {
    html = content;
    const page = await operator.context().newPage();
    await page.goto(`${attacker.origin}/`);
    return page;
  }

  it('sends a form without effect, although the cookie goes with it', async () => {
    const page = await opened(
      `<form method="post" action="${browsed.console.origin}${CHANGE}"><button>Win</button></form>`,
    );
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.method() === 'POST'),
      page.getByRole('button').click(),
    ]);
    expect((await request.allHeaders())['cookie']).toContain('console_');
    expect((await request.response())?.status()).toBe(403);
    const order = await browsed.client.recordsOf('local-preview').orders.read('ORD-0001');
    expect(order.id).toBe('ORD-0001');
    await page.close();
  });

  it('shows the console in no frame, reads nothing by script, controls no window that it opens', async () => {
    const accounts = `${browsed.console.origin}/accounts`;
    const page = await opened(
      `<iframe src="${accounts}"></iframe><button onclick="window.w = window.open('${accounts}')">Open</button>`,
    );
    expect(await page.frames()[1]?.content()).not.toContain('local-preview');
    const results = await page.evaluate(`Promise.all(['cors', 'no-cors'].map((mode) =>
      fetch('${accounts}/local-preview/export', { credentials: 'include', mode })
        .then((answer) => answer.text(), String)))`);
    expect(String(results)).not.toMatch(/ORD-0001|^PK/);
    const [window] = await Promise.all([
      operator.context().waitForEvent('page'),
      page.getByRole('button').click(),
    ]);
    await window.getByRole('heading', { name: 'Accounts' }).waitFor();
    expect(await window.evaluate('window.opener')).toBeNull();
    expect(await page.evaluate('w.closed')).toBe(true);
    await window.close();
    await page.close();
  });

  it('has no page under a name of its own that leads to this machine', async () => {
    const { port } = new URL(browsed.console.origin);
    const rebound = await browsed.browser.newPage();
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
});
