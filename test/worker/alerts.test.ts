// What an operator learns of a Worker: the page's tail Worker passes on what needs a person, and
// nothing else; and an invalid setting, because a Worker has no start that could fail.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { ADMIN_KEY, onHost } from '../support/contract.js';
import { onLoopback } from '../support/loopback.js';
import { pageCode } from '../support/pages.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { startMiniflare, workerHost, workerOptions } from '../support/worker-host.js';

it('A refused admin key reaches the webhook, and an ordinary request does not', async () => {
  const received: string[] = [];
  const webhook = createServer(async (request, response) => {
    received.push(await text(request));
    response.end();
    webhook.emit('received');
  });
  const { origin, close } = await onLoopback(webhook);
  onTestFinished(close);
  const folder = await openTemporaryFolder();
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

onHost(
  workerHost('Worker'),
  'A setting that cannot be used',
  (service) => {
    it('answers requests that need a setting with 503, and shows callers no value', async () => {
      const replies = [
        await service.account().get('/customers'),
        await service.account('local-preview').post('/customers', {}),
        await service.operator.get('/admin/overview'),
        await service.anonymous.send('GET', '/admin/accounts', {
          headers: { 'X-Service-Admin-Key': ADMIN_KEY },
        }),
      ];
      expect(replies.map(({ status, json }) => [status, json.error?.code])).toEqual([
        [503, 'AUTH_UNAVAILABLE'],
        [503, 'AUTH_UNAVAILABLE'],
        [503, 'ADMIN_DISABLED'],
        [503, 'ADMIN_DISABLED'],
      ]);
      for (const { text } of replies) expect(text).not.toContain('canary');
      expect((await service.anonymous.get('/health')).status).toBe(200);
    });
  },
  { AUTH_USERINFO_URL: 'http://canary.example.com/not-loopback' },
);
