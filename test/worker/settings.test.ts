// A Worker has no start that could fail: what becomes of a setting that cannot be used.

import { expect, it } from 'vitest';
import { ADMIN_KEY, onHost } from '../support/contract.js';
import { workerHost } from '../support/worker-host.js';

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
