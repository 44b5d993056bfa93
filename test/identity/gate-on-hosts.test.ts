// The gate, the provider's request for a pause, and answers that end Node's `fetch`, seen by a
// caller of the built service: on Node and in the Workers' runtime.

import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startServer } from '../support/server-process.js';
import { openSigningProvider, type SigningProvider } from '../support/signing-provider.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { startMiniflare, workerOptions } from '../support/worker-host.js';

type Settings = Readonly<Record<string, string>>;

interface Started {
  readonly origin: string;
  stop(): Promise<unknown>;
}

async function answerOf(origin: string, token: string) {
  const response = await fetch(`${origin}/api/v1/customers`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { error } = (await response.json()) as { error?: { code: string } };
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, code: error?.code, retryAfter };
}

/** The head of six codings, and a body that ends as `then` says. */
const sixCodings = (then: (response: ServerResponse) => void) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-encoding': Array(6).fill('gzip').join(',') });
  response.write('x', () => then(response));
};
const ENDINGS = {
  'half-arrived': () => {},
  cut: ({ socket }: ServerResponse) => socket?.end(),
  reset: ({ socket }: ServerResponse) => socket?.resetAndDestroy(),
  trickled: (response: ServerResponse) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  },
};

async function onNode(folder: string, settings: Settings): Promise<Started> {
  return startServer({ DATABASE_URL: `file:${folder}/service.db`, ...settings });
}

async function onWorkers(folder: string, settings: Settings): Promise<Started> {
  const miniflare = await startMiniflare([await workerOptions(folder, settings)]);
  return { origin: (await miniflare.ready).origin, stop: () => miniflare.dispose() };
}

const HOSTS: [string, typeof onNode][] = [
  ['node dist/server.js', onNode],
  ['dist/worker.js in Miniflare', onWorkers],
];

/** A provider that signs tokens, and a service that it guards. */
async function withService(
  start: typeof onNode,
  AUTH_AUDIENCE: string,
  act: (
    provider: SigningProvider,
    answerTo: (token: string) => ReturnType<typeof answerOf>,
  ) => Promise<void>,
): Promise<void> {
  await using provider = await openSigningProvider();
  provider.now = Date.now();
  const folder = await openTemporaryFolder();
  const service = await start(folder.path, { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE });
  try {
    await act(provider, (token) => answerOf(service.origin, token));
  } finally {
    await service.stop();
    await folder.remove();
  }
}

const asked = (provider: SigningProvider) => provider.asked.filter((path) => path === '/me').length;

describe.each(HOSTS)('A service with a gate — %s', (_name, start) => {
  it("lets in its own tokens, asks about no others, and passes the provider's Retry-After on", () =>
    withService(start, 'till, shop', async (provider, answerTo) => {
      expect(await answerTo(await provider.token())).toMatchObject({ status: 200 });
      const before = asked(provider);
      const other = await answerTo(await provider.token({ aud: 'other-app' }));
      expect(other).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
      expect(asked(provider)).toBe(before);

      provider.broken.set('/me', 429);
      provider.headers = { 'Retry-After': '30' };
      const token = await provider.token({ jti: 'another' });
      const held = await answerTo(token);
      expect(held).toEqual({ status: 503, code: 'AUTH_UNAVAILABLE', retryAfter: '30' });
      expect((await answerTo(token)).status).toBe(503);
      expect(asked(provider)).toBe(before + 1);
    }));

  it.each(['/me', '/.well-known/openid-configuration', '/keys'])(
    'whose provider answers in six codings lives, keeps no connection, and recovers: at %s',
    (path) =>
      withService(start, 'shop', async (provider, answerTo) => {
        for (const then of Object.values(ENDINGS)) {
          provider.broken.set(path, sixCodings(then));
          const tokens = await Promise.all([1, 2, 3].map((n) => provider.token({ jti: `${n}` })));
          for (const answer of await Promise.all(tokens.map(answerTo))) {
            expect(answer).toMatchObject({ status: 503, code: 'AUTH_UNAVAILABLE' });
          }
        }
        await expect.poll(() => provider.connections(), { timeout: 20_000 }).toBe(0);
        provider.broken.clear();
        const token = await provider.token();
        const status = async () => (await answerTo(token)).status;
        await expect.poll(status, { timeout: 20_000 }).toBe(200);
      }),
  );
});
