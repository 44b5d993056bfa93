// A real OpenID provider on loopback, oidc-provider from npm: a public client that may come
// from any page of this machine, and opaque access tokens.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { onLoopback } from './loopback.js';

export interface OpenidProvider {
  /** The discovery document. */
  readonly metadata: Readonly<Record<string, string>>;
  /** An access token of an account, whose subject it is. */
  tokenOf(account: string, scope?: string): Promise<string>;
  revoke(token: string): Promise<void>;
  down(): Promise<void>;
}

export async function openOpenidProvider(clientId = 'test-app'): Promise<OpenidProvider> {
  const server = createServer();
  const { origin: issuer, close } = await onLoopback(server);
  // Imported here, because this package prints notices when it is loaded.
  const { Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        redirect_uris: ['http://127.0.0.1/signed-in'],
        application_type: 'native',
        token_endpoint_auth_method: 'none',
      },
    ],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
    scopes: ['openid', 'profile'],
    clientBasedCORS: () => true,
    findAccount: async (_context, account) => ({
      accountId: account,
      claims: async () => ({ sub: account }),
    }),
  });
  server.on('request', provider.callback());
  const discovered = await fetch(`${issuer}/.well-known/openid-configuration`);
  const metadata = (await discovered.json()) as Record<string, string>;
  return {
    metadata,
    async tokenOf(accountId, scope = 'openid') {
      const grant = new provider.Grant({ accountId, clientId });
      grant.addOIDCScope(scope);
      const client = await provider.Client.find(clientId);
      const grantId = await grant.save();
      return new provider.AccessToken({ accountId, client, grantId, scope }).save();
    },
    async revoke(token) {
      const body = new URLSearchParams({ client_id: clientId, token });
      const { status } = await fetch(metadata['revocation_endpoint'] ?? '', {
        method: 'POST',
        body,
      });
      if (status !== 200) throw new Error(`not revoked: ${status}`);
    },
    down: close,
  };
}
