// The gate and the provider's request for a pause, seen by a caller of the built service: on Node
// and in the Workers' runtime.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../support/server-process.js';
import { openFolder, type TestFolder } from '../support/test-folder.js';
import { startMiniflare, workerOptions } from '../support/worker-host.js';
import { openSigningProvider, type SigningProvider } from './signing-provider.js';

type Settings = Readonly<Record<string, string>>;

async function answerOf(origin: string, token: string) {
  const response = await fetch(`${origin}/api/v1/customers`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { error } = (await response.json()) as { error?: { code: string } };
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, code: error?.code, retryAfter };
}

async function onWorkers(folder: string, settings: Settings) {
  const miniflare = await startMiniflare([await workerOptions(folder, settings)]);
  return {
    origin: (await miniflare.ready).origin,
    stop: (): Promise<unknown> => miniflare.dispose(),
  };
}
const onNode = (folder: string, settings: Settings) =>
  startServer({ DATABASE_URL: `file:${folder}/service.db`, ...settings });

describe.each<[string, (...at: Parameters<typeof onNode>) => ReturnType<typeof onWorkers>]>([
  ['node dist/server.js', onNode],
  ['dist/worker.js in Miniflare', onWorkers],
])('A service with a gate — %s', (_name, start) => {
  let provider: SigningProvider;
  let folder: TestFolder;
  let service: Awaited<ReturnType<typeof start>>;
  const answerTo = (token: string) => answerOf(service.origin, token);
  const asked = () => provider.asked.filter((path) => path === '/me').length;

  beforeEach(async () => {
    provider = await openSigningProvider();
    provider.now = Date.now();
    folder = await openFolder();
    const settings = { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'till, shop' };
    service = await start(folder.path, settings);
  });
  afterEach(async () => {
    await service?.stop();
    await folder?.remove();
    await provider?.close();
  });

  it("lets in its own tokens, asks about no others, and passes the provider's Retry-After on", async () => {
    expect(await answerTo(await provider.token())).toMatchObject({ status: 200 });
    const before = asked();
    const other = await answerTo(await provider.token({ aud: 'other-app' }));
    expect(other).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    expect(asked()).toBe(before);

    provider.broken.set('/me', 429);
    provider.headers = { 'Retry-After': '30' };
    const token = await provider.token({ jti: 'another' });
    const held = await answerTo(token);
    expect(held).toEqual({ status: 503, code: 'AUTH_UNAVAILABLE', retryAfter: '30' });
    provider.broken.clear();
    expect((await answerTo(token)).status).toBe(200);
    expect(asked()).toBe(before + 2);
  });
});
