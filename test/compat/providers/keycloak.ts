// Keycloak, from Maven Central: a realm with two applications, in its development mode.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../scripts/free-port.js';
import { CACHE, copied, have, mavenCopy } from '../project.js';
import type { RealProvider, Step } from '../providers.test.js';

const VERSION = '26.4.0';
const AUDIENCE = 'shop-api';
const PASSWORD = 'a-password-of-the-tests';
const SHORT_LIFESPAN_SECONDS = 2;

export async function openKeycloak(folder: string): Promise<RealProvider> {
  const downloads = join(CACHE, 'downloads');
  const zip = join(downloads, `keycloak-quarkus-dist-${VERSION}.zip`);
  await have(zip, mavenCopy(`org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`, downloads));
  const unpacked = join(CACHE, `keycloak-${VERSION}`);
  await have(unpacked, ['python3', '-m', 'zipfile', '-e', zip, CACHE]);
  const home = await copied(unpacked, join(folder, 'keycloak'));
  await mkdir(join(home, 'data/import'), { recursive: true });
  await writeFile(join(home, 'data/import/shop.json'), JSON.stringify(REALM));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const issuer = `${origin}/realms/shop`;

  const post = async (path: string, form: Readonly<Record<string, string>>) => {
    const url = `${origin}/realms/${path}`;
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text || '{}') as { access_token: string; id_token: string };
  };
  const signIn = (client: string, user: string) =>
    post('shop/protocol/openid-connect/token', {
      grant_type: 'password',
      client_id: client,
      username: user,
      password: PASSWORD,
      scope: 'openid',
    });
  const remove = async (user: string) => {
    const { access_token } = await post('master/protocol/openid-connect/token', {
      grant_type: 'password',
      client_id: 'admin-cli',
      username: 'admin',
      password: PASSWORD,
    });
    const headers = { authorization: `Bearer ${access_token}` };
    const users = `${origin}/admin/realms/shop/users`;
    const found = await fetch(`${users}?username=${user}&exact=true`, { headers });
    const [first] = (await found.json()) as { id: string }[];
    await fetch(`${users}/${first?.id}`, { method: 'DELETE', headers });
  };
  const refused = { 'made up': 401, expired: 401, revoked: 401, 'ID token': 401 };
  const ended = { good: 200, ...refused, 'user deleted': 401 };
  return {
    command: ['bash', 'bin/kc.sh', 'start-dev', '--import-realm', `--http-port=${port}`],
    home,
    environment: {
      KC_HTTP_HOST: '127.0.0.1',
      KC_BOOTSTRAP_ADMIN_USERNAME: 'admin',
      KC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
      KC_HTTP_MANAGEMENT_PORT: String(await freePort()),
    },
    readyUrl: `${issuer}/.well-known/openid-configuration`,
    settings: { AUTH_USERINFO_URL: `${issuer}/protocol/openid-connect/userinfo` },
    gate: { AUTH_ISSUER: issuer, AUTH_AUDIENCE: AUDIENCE },
    expected: { ...ended, 'other client': 200 },
    gated: { ...ended, 'other client': 401 },
    async token(step: Step, use) {
      if (step === 'ID token') return (await signIn('shop-app', 'asha')).id_token;
      const clients: Partial<Record<Step, string>> = {
        expired: 'short-app',
        'other client': 'other-app',
      };
      const user = step === 'user deleted' ? 'neema' : 'asha';
      const { access_token } = await signIn(clients[step] ?? 'shop-app', user);
      // Keycloak itself allows for no skew; the gate allows for 30 s, and then asks.
      if (step === 'expired') await delay((SHORT_LIFESPAN_SECONDS + 1) * 1000);
      if (step !== 'revoked' && step !== 'user deleted') return access_token;
      await use(access_token);
      const form = { client_id: 'shop-app', token: access_token };
      if (step === 'revoked') await post('shop/protocol/openid-connect/revoke', form);
      else await remove(user);
      return access_token;
    },
  };
}

/** Without the mapper the audience is `account`, for every application. */
const MAPPER = {
  name: 'audience',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-audience-mapper',
  config: { 'included.custom.audience': AUDIENCE, 'access.token.claim': 'true' },
};
const GRANTS = { enabled: true, publicClient: true, directAccessGrantsEnabled: true };
const REALM = {
  realm: 'shop',
  enabled: true,
  clients: [
    { clientId: 'shop-app', ...GRANTS, protocolMappers: [MAPPER] },
    {
      clientId: 'short-app',
      ...GRANTS,
      protocolMappers: [MAPPER],
      attributes: { 'access.token.lifespan': SHORT_LIFESPAN_SECONDS },
    },
    { clientId: 'other-app', ...GRANTS },
  ],
  users: ['asha', 'neema'].map((username) => ({
    username,
    enabled: true,
    email: `${username}@shop.example`,
    emailVerified: true,
    firstName: username,
    lastName: 'Temu',
    credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
  })),
};
