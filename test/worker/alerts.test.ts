// The page's tail Worker alerts an operator to what needs a person, and to nothing else.

import { Response } from 'miniflare';
import { expect, it, onTestFinished } from 'vitest';
import { ADMIN_KEY } from '../support/contract.js';
import { pageCode } from '../support/pages.js';
import { openFolder } from '../support/test-folder.js';
import { startMiniflare, workerOptions } from '../support/worker-host.js';

it('A refused admin key reaches the webhook, and an ordinary request does not', async () => {
  const received: string[] = [];
  const folder = await openFolder();
  onTestFinished(() => folder.remove());
  const service = await workerOptions(folder.path, { ADMIN_API_KEY: ADMIN_KEY });
  const alerts = {
    name: 'alerts',
    modules: true as const,
    compatibilityDate: String(service.compatibilityDate),
    script: pageCode('src/hosts/workers/README.md', '`alerts.js`'),
    bindings: { WEBHOOK: 'https://webhook.example' },
    outboundService: async (request: { text(): Promise<string> }) => {
      received.push(await request.text());
      return new Response();
    },
  };
  const miniflare = await startMiniflare([{ ...service, tails: ['alerts'] }, alerts]);
  onTestFinished(() => miniflare.dispose());
  for (const key of [ADMIN_KEY, 'x'.repeat(40)]) {
    const init = { headers: { 'X-Service-Admin-Key': key } };
    await (await miniflare.dispatchFetch('http://localhost/api/v1/admin/health', init)).text();
  }
  const alert = expect.stringContaining('admin_key_refused');
  await expect.poll(() => received).toEqual([alert]);
});
