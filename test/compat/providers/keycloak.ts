// Keycloak, from Maven Central: a realm with two applications, in its development mode.

import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../scripts/free-port.js';
import { CACHE, have, mavenCopy, startProvider } from '../program.js';
import {
  ENDED,
  ENDED_USERS,
  PASSWORD,
  type RealProvider,
  type Step,
  type Use,
} from './real-provider.js';

const VERSION = '26.4.0';
const AUDIENCE = 'shop-api';
const SHORT_LIFESPAN_SECONDS = 2;

export interface Keycloak extends RealProvider {
  signIn(client: string, user: string, scope?: string): ReturnType<typeof postForTokens>;
}

export async function openKeycloak(folder: string): Promise<Keycloak> {
  const zip = join(CACHE, `downloads/keycloak-quarkus-dist-${VERSION}.zip`);
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
  await have(zip, mavenCopy(artifact, join(CACHE, 'downloads')));
  const unpacked = join(CACHE, `keycloak-${VERSION}`);
  await have(unpacked, ['python3', '-m', 'zipfile', '-e', zip, CACHE]);
  const home = join(folder, 'keycloak');
  await cp(unpacked, home, { recursive: true });
  await mkdir(join(home, 'data/import'), { recursive: true });
  await writeFile(join(home, 'data/import/shop.json'), JSON.stringify(realm()));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const issuer = `${origin}/realms/shop`;
  const program = await startProvider({
    command: 'bash',
    args: ['bin/kc.sh', 'start-dev', '--import-realm', `--http-port=${port}`],
    folder: home,
    environment: {
      KC_HTTP_HOST: '127.0.0.1',
      KC_BOOTSTRAP_ADMIN_USERNAME: 'admin',
      KC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
      KC_HTTP_MANAGEMENT_PORT: String(await freePort()),
    },
    readyUrl: `${issuer}/.well-known/openid-configuration`,
    logFile: join(folder, 'keycloak.log'),
  });
  const signIn = (client: string, username: string, scope = 'openid') =>
    postForTokens(`${issuer}/protocol/openid-connect/token`, {
      grant_type: 'password',
      client_id: client,
      username,
      password: PASSWORD,
      scope,
    });
  return {
    name: `Keycloak ${VERSION}`,
    settings: { AUTH_USERINFO_URL: `${issuer}/protocol/openid-connect/userinfo` },
    gate: { AUTH_ISSUER: issuer, AUTH_AUDIENCE: AUDIENCE },
    expected: {
      open: { ...ENDED, 'other client': 200 },
      gated: { ...ENDED, 'other client': 401 },
    },
    signIn,
    token: (step, use) => tokenFor(step, use, { origin, issuer, signIn }),
    ...program,
  };
}

interface Realm {
  readonly origin: string;
  readonly issuer: string;
  readonly signIn: Keycloak['signIn'];
}

async function tokenFor(step: Step, use: Use, { origin, issuer, signIn }: Realm) {
  if (step === 'ID token') return (await signIn('shop-app', 'asha')).id_token;
  if (step === 'other client') return (await signIn('other-app', 'asha')).access_token;
  if (step === 'no scope') return (await signIn('shop-app', 'asha', 'profile')).access_token;
  if (step === 'expired') {
    const { access_token } = await signIn('short-app', 'asha');
    // Keycloak itself allows for no skew; the gate allows for 30 s, and then asks.
    await delay((SHORT_LIFESPAN_SECONDS + 1) * 1000);
    return access_token;
  }
  const user = ENDED_USERS[step];
  const { access_token } = await signIn('shop-app', user ?? 'asha');
  if (step === 'revoked') {
    await use(access_token);
    const form = new URLSearchParams({ client_id: 'shop-app', token: access_token });
    await fetch(`${issuer}/protocol/openid-connect/revoke`, { method: 'POST', body: form });
  }
  if (user !== undefined) {
    await use(access_token);
    await endUser(origin, user, step === 'user deleted');
  }
  return access_token;
}

async function endUser(origin: string, user: string, isDeleted: boolean): Promise<void> {
  const admin = await postForTokens(`${origin}/realms/master/protocol/openid-connect/token`, {
    grant_type: 'password',
    client_id: 'admin-cli',
    username: 'admin',
    password: PASSWORD,
  });
  const headers = {
    authorization: `Bearer ${admin.access_token}`,
    'content-type': 'application/json',
  };
  const users = `${origin}/admin/realms/shop/users`;
  const found = (await (
    await fetch(`${users}?username=${user}&exact=true`, { headers })
  ).json()) as { id: string }[];
  const response = await fetch(`${users}/${found[0]?.id}`, {
    headers,
    ...(isDeleted
      ? { method: 'DELETE' }
      : { method: 'PUT', body: JSON.stringify({ enabled: false }) }),
  });
  if (!response.ok) throw new Error(`${user} is still there: ${response.status}`);
}

function realm() {
  return {
    realm: 'shop',
    enabled: true,
    clients: [
      client('shop-app', [AUDIENCE_MAPPER]),
      client('short-app', [AUDIENCE_MAPPER], { 'access.token.lifespan': SHORT_LIFESPAN_SECONDS }),
      client('other-app', []),
    ],
    users: ['asha', 'juma', 'neema'].map((username) => ({
      username,
      enabled: true,
      email: `${username}@shop.example`,
      emailVerified: true,
      firstName: username,
      lastName: 'Temu',
      credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    })),
  };
}

/** Without it the audience is `account`, for every application. */
const AUDIENCE_MAPPER = {
  name: 'audience',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-audience-mapper',
  config: { 'included.custom.audience': AUDIENCE, 'access.token.claim': 'true' },
};

function client(clientId: string, protocolMappers: readonly object[], attributes: object = {}) {
  const grants = { publicClient: true, directAccessGrantsEnabled: true };
  return { clientId, enabled: true, ...grants, protocolMappers, attributes };
}

interface Tokens {
  readonly access_token: string;
  readonly id_token?: string;
}

async function postForTokens(
  endpoint: string,
  form: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const response = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(form) });
  const answer = (await response.json()) as Tokens;
  if (!response.ok) throw new Error(`no token: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}
