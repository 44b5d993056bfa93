// The page's tail Worker beside the service: it passes on what needs a person, and nothing else.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { ADMIN_KEY } from '../support/contract.js';
import { onLoopback } from '../support/loopback.js';
import { pageCode } from '../support/pages.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { startMiniflare, workerOptions } from '../support/worker-host.js';

it('A refused admin key reaches the webhook, and an ordinary request does not', async () => {
  const received: string[] = [];
  const webhook = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push(Buffer.concat(chunks).toString());
    response.end();
    webhook.emit('received');
  });
  const { port, close } = await onLoopback(webhook);
  onTestFinished(close);
  const folder = await openTemporaryFolder();
  onTestFinished(() => folder.remove());
  const service = await workerOptions(folder.path, { ADMIN_API_KEY: ADMIN_KEY });
  const alerts = {
    name: 'alerts',
    modules: true as const,
    compatibilityDate: String(service.compatibilityDate),
    script: pageCode('src/hosts/workers/README.md', '`alerts.js`'),
    bindings: { WEBHOOK: `http://127.0.0.1:${port}/` },
  };
  const miniflare = await startMiniflare([{ ...service, tails: ['alerts'] }, alerts]);
  onTestFinished(() => miniflare.dispose());
  const ask = (key: string) =>
    miniflare.dispatchFetch('http://localhost/api/v1/admin/health', {
      headers: { 'X-Service-Admin-Key': key },
    });
  const told = once(webhook, 'received');
  await (await ask(ADMIN_KEY)).text();
  await (await ask('x'.repeat(40))).text();
  await told;
  expect(received).toHaveLength(1);
  expect(received[0]).toContain('admin_key_refused');
});
