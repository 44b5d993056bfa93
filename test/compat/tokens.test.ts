// The token functions of "Sign in from your app", each with its provider's own package in a
// browser. The provider is a stub that responds as its API is documented.

import { decodeJwt } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { pageCode } from '../support/pages.js';
import { bundled, openWindow } from './project.js';

const PAGE = 'src/clients/client/README.md';
const HOUR_S = 3_600;

let issued = 0;

/** A new token. The packages read its claims; none checks the signature, which the service does. */
function newToken(claims: object = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const all = { sub: 'amina', iat: now, exp: now + HOUR_S, jti: `token-${++issued}`, ...claims };
  const parts = [{ alg: 'RS256', typ: 'JWT', kid: 'k' }, all, 'signature'];
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

/** The provider's response to a request: JSON, or a page. */
type Answer = (url: URL, body: string) => object | string;

const supabase: Answer = () => ({
  access_token: newToken(),
  token_type: 'bearer',
  expires_in: HOUR_S,
  refresh_token: 'refresh',
  user: { id: 'amina', aud: 'authenticated', email: 'amina@shop.example' },
});

let nonce = '';
const auth0: Answer = ({ pathname, searchParams }, body) => {
  if (pathname === '/authorize') {
    nonce = searchParams.get('nonce') ?? '';
    const response = { code: 'code', state: searchParams.get('state') };
    const message = JSON.stringify({ type: 'authorization_response', response });
    return `<script>parent.postMessage(${message}, '*')</script>`;
  }
  expect(body).toContain('code_verifier=');
  const id_token = newToken({ iss: 'https://TENANT.REGION.auth0.com/', aud: 'CLIENT-ID', nonce });
  return { access_token: newToken(), id_token, expires_in: HOUR_S, token_type: 'Bearer' };
};

const firebase: Answer = ({ pathname }) => {
  if (pathname.endsWith(':lookup')) return { users: [{ localId: 'amina' }] };
  const token = newToken();
  const inGo = { access_token: token, id_token: token, refresh_token: 'r', expires_in: '3600' };
  return { ...inGo, idToken: token, refreshToken: 'r', expiresIn: '3600', localId: 'amina' };
};

const clerk: Answer = ({ pathname }) => {
  if (pathname.endsWith('/tokens')) return { object: 'token', jwt: newToken({ sid: 'sess_1' }) };
  if (pathname.endsWith('/environment')) {
    return { auth_config: { single_session_mode: true }, display_config: {}, user_settings: {} };
  }
  const session = {
    ...{ object: 'session', id: 'sess_1', status: 'active', user: { id: 'amina' } },
    last_active_token: null,
  };
  const client = { object: 'client', id: 'client_1', last_active_session_id: 'sess_1' };
  return { response: { ...client, sessions: [session] } };
};

const CLERK_KEY = `pk_live_${Buffer.from('clerk.shop.example$').toString('base64')}`;

it.each<[name: string, answer: Answer, signIn: string]>([
  [
    'Supabase',
    supabase,
    `import { supabase } from './token.js';
     await supabase.auth.signInWithPassword({ email: 'amina@shop.example', password: 'p' });`,
  ],
  ['Auth0', auth0, ''],
  [
    'Firebase',
    firebase,
    `import { signInWithEmailAndPassword } from 'firebase/auth';
     import { auth } from './token.js';
     await signInWithEmailAndPassword(auth, 'amina@shop.example', 'p');`,
  ],
  ['Clerk', clerk, ''],
])('The function for %s reuses its token, and renews it after a refusal', async (...row) => {
  const [name, answer, signIn] = row;
  const files = {
    'token.js': pageCode(PAGE, `${name} (\``).replace('PUBLISHABLE-KEY', CLERK_KEY),
    'main.js': `import { token } from './token.js';
      ${signIn}
      const tokens = [await token(), await token()];
      document.body.dataset.tokens = [...tokens, await token(tokens[0])].join(' ');`,
  };
  const { page, origin, complaints, close } = await openWindow(await bundled(files, 'main.js'));
  onTestFinished(close);
  await page.route(/^https:/, async (route) => {
    const request = route.request();
    const given = answer(new URL(request.url()), request.postData() ?? '');
    const isPage = typeof given === 'string';
    const headers = {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'content-type': isPage ? 'text/html' : 'application/json',
    };
    await route.fulfill({ headers, body: isPage ? given : JSON.stringify(given) });
  });
  await page.goto(origin);
  const text = (await page.locator('body[data-tokens]').getAttribute('data-tokens')) ?? '';
  const [first = '', second, fresh = ''] = text.split(' ');
  const claims = [first, fresh].map((token) => decodeJwt(token));
  expect([second, complaints]).toEqual([first, []]);
  expect(claims).toMatchObject([{ sub: 'amina' }, { sub: 'amina' }]);
  expect(claims[1]?.jti).not.toBe(claims[0]?.jti);
});
