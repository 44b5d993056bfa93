// The gate, the provider's request for a pause, and answers that end Node's `fetch`, seen by a
// caller of the built service: on Node and in the Workers' runtime.

import type { ServerResponse } from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../support/server-process.js';
import { openSigningProvider, type SigningProvider } from '../support/signing-provider.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { startMiniflare, workerOptions } from '../support/worker-host.js';

type Settings = Readonly<Record<string, string>>;

interface Started {
  readonly origin: string;
  stop(): Promise<unknown>;
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | null;
}

async function answerOf(origin: string, token: string): Promise<Answer> {
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

describe.each(HOSTS)('A service with a gate — %s', (_name, start) => {
  let provider: SigningProvider;
  let folder: TemporaryFolder;
  let service: Started;

  beforeAll(async () => {
    provider = await openSigningProvider();
    provider.now = Date.now();
    folder = await openTemporaryFolder();
    const settings = { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'till, shop' };
    service = await start(folder.path, settings);
  });

  afterAll(async () => {
    await service?.stop();
    await provider?.close();
    await folder?.remove();
  });

  const answerTo = (token: string) => answerOf(service.origin, token);

  function asked(): number {
    return provider.asked.filter((path) => path === '/me').length;
  }

  it('lets in a token for this service', async () => {
    expect(await answerTo(await provider.token())).toMatchObject({ status: 200 });
  });

  it('answers 401 to a token for another application, and the provider is not asked', async () => {
    const before = asked();
    const other = await answerTo(await provider.token({ aud: 'other-app' }));
    expect(other).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    expect(asked()).toBe(before);
  });

  it("passes the provider's Retry-After on", async () => {
    provider.broken.set('/me', 429);
    provider.headers = { 'Retry-After': '30' };
    const token = await provider.token({ jti: 'another' });
    const held = await answerTo(token);
    expect(held).toEqual({ status: 503, code: 'AUTH_UNAVAILABLE', retryAfter: '30' });
    const before = asked();
    expect((await answerTo(token)).status).toBe(503);
    expect(asked()).toBe(before);
  });
});

describe.each(HOSTS)('A service whose provider answers in six codings — %s', (_name, start) => {
  it.each(['/me', '/.well-known/openid-configuration', '/keys'])(
    'lives, keeps no connection, and recovers: at %s',
    async (path) => {
      const provider = await openSigningProvider();
      provider.now = Date.now();
      const folder = await openTemporaryFolder();
      const settings = { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'shop' };
      const service = await start(folder.path, settings);
      try {
        for (const then of Object.values(ENDINGS)) {
          provider.broken.set(path, sixCodings(then));
          const answers = await Promise.all(
            [1, 2, 3].map(async (jti) =>
              answerOf(service.origin, await provider.token({ jti: `${jti}` })),
            ),
          );
          expect(answers).toEqual(
            answers.map(() => expect.objectContaining({ status: 503, code: 'AUTH_UNAVAILABLE' })),
          );
        }
        await expect.poll(() => provider.connections(), { timeout: 20_000 }).toBe(0);
        provider.broken.clear();
        const token = await provider.token();
        await expect
          .poll(async () => (await answerOf(service.origin, token)).status, { timeout: 20_000 })
          .toBe(200);
      } finally {
        await service.stop();
        await provider.close();
        await folder.remove();
      }
    },
  );
});

describe.each(HOSTS)('A service that only the gate guards — %s', (_name, start) => {
  it('lets in good tokens alone, and never asks for user information', async () => {
    const provider = await openSigningProvider();
    provider.now = Date.now();
    provider.metadata = { userinfo_endpoint: undefined };
    const folder = await openTemporaryFolder();
    const settings = { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'shop', AUTH_USERINFO: 'off' };
    const service = await start(folder.path, settings);
    try {
      const good = await answerOf(service.origin, await provider.token());
      expect(good).toMatchObject({ status: 200 });
      const other = await answerOf(service.origin, await provider.token({ aud: 'other-app' }));
      expect(other).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
      expect(new Set(provider.asked)).toEqual(
        new Set(['/.well-known/openid-configuration', '/keys']),
      );
    } finally {
      await service.stop();
      await provider.close();
      await folder.remove();
    }
  });
});
