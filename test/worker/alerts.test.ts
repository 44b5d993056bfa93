// The page's tail Worker tells an operator what needs a person, and nothing else.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { ADMIN_KEY } from '../support/contract.js';
import { onLoopback } from '../support/loopback.js';
import { pageCode } from '../support/pages.js';
import { openFolder } from '../support/test-folder.js';
import { startMiniflare, workerOptions } from '../support/worker-host.js';

it('A refused admin key reaches the webhook, and an ordinary request does not', async () => {
  const received: string[] = [];
  const webhook = createServer(async (request, response) => {
    received.push(await text(request));
    response.end();
    webhook.emit('received');
  });
  const { origin, close } = await onLoopback(webhook);
  onTestFinished(close);
  const folder = await openFolder();
  onTestFinished(() => folder.remove());
  const service = await workerOptions(folder.path, { ADMIN_API_KEY: ADMIN_KEY });
  const alerts = {
    name: 'alerts',
    modules: true as const,
    compatibilityDate: String(service.compatibilityDate),
    script: pageCode('src/hosts/workers/README.md', '`alerts.js`'),
    bindings: { WEBHOOK: `${origin}/` },
  };
  const miniflare = await startMiniflare([{ ...service, tails: ['alerts'] }, alerts]);
  onTestFinished(() => miniflare.dispose());
  const told = once(webhook, 'received');
  for (const key of [ADMIN_KEY, 'x'.repeat(40)]) {
    const init = { headers: { 'X-Service-Admin-Key': key } };
    await (await miniflare.dispatchFetch('http://localhost/api/v1/admin/health', init)).text();
  }
  await told;
  expect(received).toEqual([expect.stringContaining('admin_key_refused')]);
});
