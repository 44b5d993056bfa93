// Pages of an attacker in Chromium, on another port of this machine, against an operator who is
// signed in: what the browser itself and the console refuse.

import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { browseConsole, oneProcess } from '../support/console-browser.js';
import { onLoopback } from '../support/loopback.js';

it('A page on another port sends no form, frames and reads no page, and controls no window that it opens', async () => {
  const browsed = await browseConsole(oneProcess);
  onTestFinished(() => browsed.close());
  const { origin } = browsed.console;
  const operator = (await browsed.signedIn()).context();
  const attacker = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><title>A shop</title><iframe src="${origin}/accounts"></iframe>
      <button onclick="window.w = window.open('${origin}/accounts')">Open</button>
      <form method="post" action="${origin}/accounts/local-preview/orders/ORD-0001/change">
      <button name="do" value="delete">Win</button></form>`);
  });
  const { origin: shop, close } = await onLoopback(attacker);
  onTestFinished(close);
  const page = await operator.newPage();
  await page.goto(shop);
  expect(await page.frames()[1]?.content()).not.toContain('local-preview');
  const results = await page.evaluate(`Promise.all(['cors', 'no-cors'].map((mode) =>
    fetch('${origin}/accounts/local-preview/export', { credentials: 'include', mode })
      .then((answer) => answer.text(), String)))`);
  expect(String(results)).not.toMatch(/ORD-0001|^PK/);
  const [window] = await Promise.all([
    operator.waitForEvent('page'),
    page.getByRole('button', { name: 'Open' }).click(),
  ]);
  await window.getByRole('heading', { name: 'Accounts' }).waitFor();
  expect(await window.evaluate('window.opener')).toBeNull();
  expect(await page.evaluate('w.closed')).toBe(true);
  const [request] = await Promise.all([
    page.waitForRequest((sent) => sent.method() === 'POST'),
    page.getByRole('button', { name: 'Win' }).click(),
  ]);
  // The cookie goes with it, because cookies ignore ports.
  expect((await request.allHeaders())['cookie']).toContain('console_');
  expect((await request.response())?.status()).toBe(403);
  await browsed.client.recordsOf('local-preview').orders.read('ORD-0001');
});
