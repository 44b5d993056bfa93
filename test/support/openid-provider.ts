// A real OpenID provider on loopback, and the steps by which an app gets a token:
// the authorization code flow with PKCE, with the sign-in and consent forms posted.

import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const CLIENT_ID = 'test-app';
const REDIRECT_URI = 'http://127.0.0.1/signed-in';
/** A sign-in has at most this many redirects and forms; more mean a loop. */
const STEPS_MAX = 20;

export interface OpenidProvider {
  /** The discovery document. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Signs an account in and resolves with its access token, an opaque one; `account` is its subject. */
  accessToken(account: string, scope?: string): Promise<string>;
  revoke(token: string): Promise<void>;
  close(): Promise<void>;
}

/** `clientId`: of a public client that may come from any page of this machine. */
export async function openOpenidProvider(clientId = CLIENT_ID): Promise<OpenidProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Imported here, because this package prints notices when it is loaded.
  const { Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        redirect_uris: [REDIRECT_URI],
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
  const metadata = await getJson(`${issuer}/.well-known/openid-configuration`);
  return {
    metadata,
    async accessToken(account, scope = 'openid') {
      const verifier = randomBytes(32).toString('base64url');
      const code = await authorizationCode(metadata, account, scope, verifier);
      const tokens = await postForm(metadata['token_endpoint'], {
        grant_type: 'authorization_code',
        client_id: CLIENT_ID,
        redirect_uri: REDIRECT_URI,
        code,
        code_verifier: verifier,
      });
      const { access_token } = (await tokens.json()) as { access_token?: string };
      if (access_token === undefined) throw new Error(`no token: ${tokens.status}`);
      return access_token;
    },
    async revoke(token) {
      const { status } = await postForm(metadata['revocation_endpoint'], {
        client_id: CLIENT_ID,
        token,
      });
      if (status !== 200) throw new Error(`not revoked: ${status}`);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The browser's requests from the app's link to the redirect back to the app. */
async function authorizationCode(
  metadata: Readonly<Record<string, string>>,
  account: string,
  scope: string,
  verifier: string,
): Promise<string> {
  const browser = new Browser();
  const start = new URL(metadata['authorization_endpoint'] ?? '');
  start.search = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope,
  }).toString();
  let response = await browser.visit(start);
  let at = start;
  for (let step = 0; step < STEPS_MAX; step++) {
    const location = response.headers.get('location');
    if (location === null) {
      const page = await response.text();
      const form = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
      if (form === undefined) throw new Error(`no form: ${response.status} ${page}`);
      const prompt = page.includes('value="login"') ? 'login' : 'consent';
      at = new URL(form, at);
      response = await browser.visit(at, { prompt, login: account, password: 'any' });
    } else if (location.startsWith(REDIRECT_URI)) {
      const code = new URL(location).searchParams.get('code');
      if (code === null) throw new Error(`no code: ${location}`);
      return code;
    } else {
      at = new URL(location, at);
      response = await browser.visit(at);
    }
  }
  throw new Error('the sign-in does not end');
}

/** A browser that keeps cookies and follows no redirect by itself. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async visit(url: URL, form?: Readonly<Record<string, string>>): Promise<Response> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, {
      headers: { cookie },
      redirect: 'manual',
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}

async function getJson(url: string): Promise<Readonly<Record<string, string>>> {
  return (await (await fetch(url)).json()) as Record<string, string>;
}

function postForm(url: string | undefined, form: Readonly<Record<string, string>>) {
  return fetch(url ?? '', { method: 'POST', body: new URLSearchParams(form) });
}
