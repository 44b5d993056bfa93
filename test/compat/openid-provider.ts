// A real OpenID provider on loopback, oidc-provider from npm: a public client that may come
// from any page of this machine, and opaque access tokens.

import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { onLoopback } from '../support/loopback.js';
import { MODULES } from './project.js';

export async function openOpenidProvider(clientId: string) {
  const server = createServer();
  const { origin: issuer, close } = await onLoopback(server);
  // Imported here, because this package prints notices when it is loaded.
  const name = join(MODULES, 'oidc-provider/lib/index.js');
  const library: { Provider: new (...of: unknown[]) => { callback(): RequestListener } } =
    await import(name);
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
    features: { devInteractions: { enabled: true } },
    scopes: ['openid', 'profile'],
    clientBasedCORS: () => true,
    findAccount: async (_context: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
  });
  server.on('request', provider.callback());
  return { issuer, close };
}
