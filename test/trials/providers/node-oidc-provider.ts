// oidc-provider, from npm, in this process: opaque access tokens of two applications.

import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { tokensByCode } from './code-flow.js';
import { freePort, pause } from './program.js';
import type { OpenProvider, Step } from './real-provider.js';

const SHORT_LIFESPAN_SECONDS = 2;
/** By default a token is good for so long past its end. */
const CLOCK_TOLERANCE_SECONDS = 15;
const CLIENTS = ['shop-app', 'other-app', 'short-app'];

export const openNodeOidcProvider: OpenProvider = async () => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const gone = new Set<string>();
  // Imported here, since it prints notices when it is loaded.
  const { Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: CLIENTS.map((client_id) => ({
      client_id,
      redirect_uris: ['http://127.0.0.1/signed-in'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    })),
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
    scopes: ['openid', 'profile'],
    ttl: {
      AccessToken: (_context: unknown, _token: unknown, client: { clientId: string }) =>
        client.clientId === 'short-app' ? SHORT_LIFESPAN_SECONDS : 3600,
    },
    // What an application's own account store says: neither disabled nor deleted ones are there.
    findAccount: async (_context: unknown, account: string) =>
      gone.has(account)
        ? undefined
        : { accountId: account, claims: async () => ({ sub: account }) },
  });
  const answer = provider.callback();
  const listen = async () => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return server;
  };
  let server: Server = await listen();
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    name: 'oidc-provider 9.13.3',
    settings: { AUTH_ISSUER: issuer },
    gate: undefined,
    expected: {
      open: {
        good: 200,
        'made up': 401,
        expired: 401,
        revoked: 401,
        'other client': 200,
        'ID token': 401,
        'no scope': 401,
        'user disabled': 401,
        'user deleted': 401,
      },
    },
    token: (step, use) => tokenFor(step, use, issuer, gone),
    down: close,
    up: async () => {
      server = await listen();
    },
    close,
  };
};

async function tokenFor(
  step: Step,
  use: (token: string) => Promise<void>,
  issuer: string,
  gone: Set<string>,
): Promise<string | undefined> {
  const clients: Partial<Record<Step, string>> = {
    'other client': 'other-app',
    expired: 'short-app',
  };
  const clientId = clients[step] ?? 'shop-app';
  const user = `asha-${step.replaceAll(' ', '-')}`;
  const { access_token, id_token } = await tokensByCode({
    authorizationEndpoint: `${issuer}/auth`,
    tokenEndpoint: `${issuer}/token`,
    clientId,
    scope: step === 'no scope' ? 'profile' : 'openid',
    user,
    password: 'any',
  });
  if (step === 'ID token') return id_token;
  if (step === 'expired')
    await pause((SHORT_LIFESPAN_SECONDS + CLOCK_TOLERANCE_SECONDS + 1) * 1000);
  if (step === 'revoked') {
    await use(access_token);
    const form = new URLSearchParams({ client_id: clientId, token: access_token });
    await fetch(`${issuer}/token/revocation`, { method: 'POST', body: form });
  }
  if (step === 'user disabled' || step === 'user deleted') {
    await use(access_token);
    gone.add(user);
  }
  return access_token;
}
