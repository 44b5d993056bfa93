// The audience check and the provider's Retry-After, as a caller of the built service sees them: on
// Node and in the Workers runtime.

import { expect, it } from 'vitest';
import { serverHost } from '../support/file-hosts.js';
import { testFolder } from '../support/test-folder.js';
import { workerHost } from '../support/worker-host.js';
import { openSigningProvider } from './signing-provider.js';

const folder = testFolder();

it.each([serverHost, workerHost('dist/worker.js in Miniflare')])(
  '$name accepts its own tokens, calls the provider for no others, and passes on its Retry-After',
  async (host) => {
    await using provider = await openSigningProvider();
    provider.now = Date.now();
    const settings = { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'till, shop' };
    const { fetch, close } = await host.start(folder.path, settings);
    const answerTo = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch('/api/v1/customers', { headers });
      const { error } = (await response.json()) as { error?: { code: string } };
      return [response.status, error?.code, response.headers.get('retry-after')];
    };
    const requests = () => provider.paths.filter((path) => path === '/me').length;
    try {
      expect(await answerTo(await provider.token())).toEqual([200, undefined, null]);
      const other = await provider.token({ aud: 'other-app' });
      expect(await answerTo(other)).toEqual([401, 'UNAUTHORIZED', null]);
      expect(requests()).toBe(1);
      provider.broken.set('/me', 429);
      provider.headers = { 'Retry-After': '30' };
      const token = await provider.token({ jti: 'another' });
      expect(await answerTo(token)).toEqual([503, 'AUTH_UNAVAILABLE', '30']);
      provider.broken.clear();
      expect(await answerTo(token)).toEqual([200, undefined, null]);
      expect(requests()).toBe(3);
    } finally {
      await close();
    }
  },
);
