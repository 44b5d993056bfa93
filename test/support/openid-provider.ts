// A real OpenID provider on loopback, oidc-provider from npm: a public client that may come
// from any page of this machine, and opaque access tokens.

import { createServer, type RequestListener } from 'node:http';
import { onLoopback } from './loopback.js';

export type OpenidProvider = Awaited<ReturnType<typeof openOpenidProvider>>;

/** What is used of the package, which has no types of its own. */
interface Provider {
  callback(): RequestListener;
  readonly Client: { find(id: string): Promise<unknown> };
  readonly Grant: new (
    of: object,
  ) => { addOIDCScope(scope: string): void; save(): Promise<string> };
  readonly AccessToken: new (of: object) => { save(): Promise<string> };
}

export async function openOpenidProvider(clientId = 'test-app') {
  const server = createServer();
  const { origin: issuer, close } = await onLoopback(server);
  // Imported here, because this package prints notices when it is loaded.
  const name: string = 'oidc-provider';
  const library: { Provider: new (issuer: string, options: object) => Provider } = await import(
    name
  );
  const provider = new library.Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        redirect_uris: ['http://127.0.0.1/signed-in'],
        application_type: 'native',
        token_endpoint_auth_method: 'none',
      },
    ],
    cookies: { keys: [crypto.randomUUID()] },
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
    scopes: ['openid', 'profile'],
    clientBasedCORS: () => true,
    findAccount: async (_context: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
  });
  server.on('request', provider.callback());
  const discovered = await fetch(`${issuer}/.well-known/openid-configuration`);
  const metadata = (await discovered.json()) as Readonly<Record<string, string>>;
  return {
    /** The discovery document. */
    metadata,
    /** An access token of an account, whose subject it is. */
    async tokenOf(accountId: string, scope = 'openid') {
      const grant = new provider.Grant({ accountId, clientId });
      grant.addOIDCScope(scope);
      const client = await provider.Client.find(clientId);
      const grantId = await grant.save();
      return new provider.AccessToken({ accountId, client, grantId, scope }).save();
    },
    async revoke(token: string) {
      const body = new URLSearchParams({ client_id: clientId, token });
      const url = metadata['revocation_endpoint'] ?? '';
      const { status } = await fetch(url, { method: 'POST', body });
      if (status !== 200) throw new Error(`not revoked: ${status}`);
    },
    down: close,
  };
}
