// Contract, "Authentication", data endpoints, with nothing in between replaced:
// a real OpenID provider, its tokens, and `node dist/server.js`.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OpenidProvider, openOpenidProvider } from '../support/openid-provider.js';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

interface Reply {
  readonly status: number;
  readonly data: { readonly id: string; readonly owner_sub: string; readonly name: string }[];
  readonly code: string | undefined;
}

describe('With a real OpenID provider', () => {
  let provider: OpenidProvider;
  let folder: TemporaryFolder;
  let server: ServerProcess;

  beforeAll(async () => {
    // Notices for people who are about to put the provider into production.
    for (const method of ['warn', 'info'] as const) {
      vi.spyOn(console, method).mockImplementation(() => {});
    }
    provider = await openOpenidProvider();
    folder = await openTemporaryFolder();
    server = await startServer({
      DATABASE_URL: `file:${folder.path}/service.db`,
      AUTH_USERINFO_URL: provider.metadata['userinfo_endpoint'] ?? '',
    });
  });

  afterAll(async () => {
    await server?.stop();
    await provider?.down();
    await folder?.remove();
    vi.restoreAllMocks();
  });

  /** Every token that there was. */
  const tokens: string[] = [];

  async function signIn(account: string, scope?: string): Promise<string> {
    const token = await provider.tokenOf(account, scope);
    tokens.push(token);
    return token;
  }

  async function send(
    token: string,
    method: string,
    path: string,
    body?: object,
    to = server,
  ): Promise<Reply> {
    const response = await fetch(`${to.origin}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data, error } = (await response.json()) as {
      data?: Reply['data'] | Reply['data'][number];
      error?: { code: string };
    };
    return { status: response.status, data: [data ?? []].flat(), code: error?.code };
  }

  function refusals() {
    return server
      .log()
      .filter(({ event }) => event === 'identity_provider_refused')
      .map(({ status, reason }) => ({ status, reason }));
  }

  it('an account creates a record with its token, and only this account finds it', async () => {
    const asha = await signIn('usr|asha');
    const juma = await signIn('juma');

    const created = await send(asha, 'POST', '/customers', { name: 'Neema', phone: '0712' });
    expect(created.status).toBe(201);
    expect(created.data).toMatchObject([{ name: 'Neema', owner_sub: 'usr|asha' }]);

    const listed = await send(asha, 'GET', '/customers');
    expect(listed).toMatchObject({ status: 200, data: created.data });
    expect(await send(juma, 'GET', '/customers')).toMatchObject({ status: 200, data: [] });
    const path = `/customers/${created.data[0]?.id}`;
    expect(await send(juma, 'GET', path)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  it('a start asks about a made-up token, and reports that it was refused', async () => {
    await server.saw('identity_provider_asked');
  });

  it('an issuer alone is enough: discovery names the endpoint', async () => {
    const discovering = await startServer({
      DATABASE_URL: `file:${folder.path}/discovering.db`,
      AUTH_ISSUER: provider.metadata['issuer'] ?? '',
    });
    try {
      const token = await signIn('asha');
      expect((await send(token, 'GET', '/orders', undefined, discovering)).status).toBe(200);
      expect(discovering.output()).toContain('identity_audience_unchecked');
    } finally {
      await discovering.stop();
    }
  });

  it('a revoked token is refused at once', async () => {
    const token = await signIn('zuri');
    expect((await send(token, 'GET', '/orders')).status).toBe(200);
    await provider.revoke(token);
    expect(await send(token, 'GET', '/orders')).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
    });
    await expect.poll(refusals).toContainEqual({ status: 401, reason: 'invalid_token' });
  });

  it('a token without the openid scope is refused, and the log says why', async () => {
    const token = await signIn('neema', 'profile');
    const reply = await send(token, 'GET', '/orders');
    expect(reply).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    await expect.poll(refusals).toContainEqual({ status: 403, reason: 'insufficient_scope' });
  });

  it('no token is in the log', async () => {
    await server.stop();

    for (const token of tokens) expect(server.output()).not.toContain(token);
  });
});
