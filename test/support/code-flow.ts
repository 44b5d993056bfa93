// An app's way to a token: the authorization code flow with PKCE, whose forms
// are filled in as a browser would.

import { createHash, randomBytes } from 'node:crypto';

/** Redirects and forms of one sign-in; more is a loop. */
const STEPS_MAX = 20;
export const REDIRECT_URI = 'http://127.0.0.1/signed-in';

export interface CodeFlow {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly scope: string;
  readonly user: string;
  readonly password: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly id_token?: string;
}

/** Rejects where the sign-in ends elsewhere. */
export async function tokensByCode(flow: CodeFlow): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url');
  const code = await authorizationCode(flow, verifier);
  return postForTokens(flow.tokenEndpoint, {
    grant_type: 'authorization_code',
    client_id: flow.clientId,
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
  });
}

export async function postForTokens(
  endpoint: string,
  form: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const response = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(form) });
  const answer = (await response.json()) as Partial<Tokens> & { error?: string };
  const { access_token, id_token } = answer;
  if (access_token === undefined) throw new Error(`no token: ${response.status} ${answer.error}`);
  return { access_token, ...(id_token !== undefined && { id_token }) };
}

async function authorizationCode(flow: CodeFlow, verifier: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = new URL(flow.authorizationEndpoint);
  at.search = new URLSearchParams({
    client_id: flow.clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: flow.scope,
    state: 'any',
  }).toString();
  let response = await visit(at, cookies);
  for (let step = 0; step < STEPS_MAX; step++) {
    const location = response.headers.get('location');
    if (location?.startsWith(REDIRECT_URI)) {
      const code = new URL(location).searchParams.get('code');
      if (code === null) throw new Error(`no code: ${location}`);
      return code;
    }
    if (location !== null) {
      await response.body?.cancel();
      at = new URL(location, at);
      response = await visit(at, cookies);
    } else {
      const { action, fields } = formOf(await response.text(), flow, at);
      at = action;
      response = await visit(at, cookies, fields);
    }
  }
  throw new Error('the sign-in does not end');
}

function formOf(page: string, { user, password }: CodeFlow, at: URL) {
  const form = /<form[\s\S]*?<\/form>/.exec(page)?.[0];
  if (form === undefined) throw new Error(`no form at ${at.pathname}: ${page.slice(0, 300)}`);
  const action = new URL(attribute(form, 'action') ?? at.href, at);
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = attribute(input, 'name');
    if (name === undefined) continue;
    const isPassword = attribute(input, 'type') === 'password';
    const isUser = /^(username|login)$/.test(name);
    fields[name] = isPassword ? password : isUser ? user : (attribute(input, 'value') ?? '');
  }
  return { action, fields };
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value?.replaceAll('&amp;', '&');
}

/** Keeps cookies, follows nothing by itself. */
async function visit(
  url: URL,
  cookies: Map<string, string>,
  form?: Readonly<Record<string, string>>,
): Promise<Response> {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  const response = await fetch(url, {
    headers: { cookie, accept: 'text/html' },
    redirect: 'manual',
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  });
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
  return response;
}
