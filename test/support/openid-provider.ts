// A real OpenID provider on loopback, oidc-provider from npm: public clients that may come
// from any page of this machine, and opaque access tokens.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { REDIRECT_URI, type Tokens, tokensByCode } from './code-flow.js';
import { onLoopback } from './loopback.js';

const CLIENT = 'test-app';
const LIFESPAN_SECONDS = 3600;

export interface OpenidProvider {
  /** The discovery document. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Accounts that it finds no more. */
  readonly gone: Set<string>;
  /** Signs an account in; `account` is its subject. */
  tokens(account: string, scope?: string, client?: string): Promise<Tokens>;
  revoke(token: string, client?: string): Promise<void>;
  down(): Promise<void>;
  up(): Promise<void>;
}

/** `clients`: how long their access tokens live, where it is not an hour. */
export async function openOpenidProvider(
  clients: Readonly<Record<string, number | undefined>> = { [CLIENT]: undefined },
): Promise<OpenidProvider> {
  const server = createServer();
  let loopback = await onLoopback(server);
  const { origin: issuer, port } = loopback;
  const gone = new Set<string>();
  // Imported here, because this package prints notices when it is loaded.
  const { Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: Object.keys(clients).map((client_id) => ({
      client_id,
      redirect_uris: [REDIRECT_URI],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    })),
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
    scopes: ['openid', 'profile'],
    ttl: { AccessToken: (_context, _token, { clientId }) => clients[clientId] ?? LIFESPAN_SECONDS },
    clientBasedCORS: () => true,
    findAccount: async (_context, account) =>
      gone.has(account)
        ? undefined
        : { accountId: account, claims: async () => ({ sub: account }) },
  });
  server.on('request', provider.callback());
  const discovered = await fetch(`${issuer}/.well-known/openid-configuration`);
  const metadata = (await discovered.json()) as Record<string, string>;
  const endpoint = (name: string) => metadata[`${name}_endpoint`] ?? '';
  return {
    metadata,
    gone,
    tokens: (user, scope = 'openid', clientId = CLIENT) =>
      tokensByCode({
        authorizationEndpoint: endpoint('authorization'),
        tokenEndpoint: endpoint('token'),
        clientId,
        scope,
        user,
        password: 'any',
      }),
    async revoke(token, client = CLIENT) {
      const body = new URLSearchParams({ client_id: client, token });
      const { status } = await fetch(endpoint('revocation'), { method: 'POST', body });
      if (status !== 200) throw new Error(`not revoked: ${status}`);
    },
    down: () => loopback.close(),
    async up() {
      loopback = await onLoopback(server, port);
    },
  };
}
