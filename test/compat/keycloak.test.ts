// Sign-in with Keycloak, from Maven Central: which tokens are accepted, with and without the
// audience check.

import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.js';
import { type Program, startProgram } from '../support/program.js';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { openFolder, type TestFolder } from '../support/test-folder.js';
import { CACHE, have, mavenCopy } from './project.js';

const VERSION = '26.4.0';
const AUDIENCE = 'shop-api';
const PASSWORD = 'a-password-of-the-tests';
/** Without the mapper the audience is `account`, for every application. */
const MAPPER = {
  name: 'audience',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-audience-mapper',
  config: { 'included.custom.audience': AUDIENCE, 'access.token.claim': 'true' },
};
const GRANTS = { enabled: true, publicClient: true, directAccessGrantsEnabled: true };
const USER = {
  ...{ username: 'asha', enabled: true, email: 'asha@shop.example', emailVerified: true },
  ...{ firstName: 'Asha', lastName: 'Temu' },
  credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
};
const REALM = {
  realm: 'shop',
  enabled: true,
  clients: [
    { clientId: 'shop-app', ...GRANTS, protocolMappers: [MAPPER] },
    { clientId: 'other-app', ...GRANTS },
  ],
  users: [USER],
};

let folder: TestFolder;
let issuer: string;
let keycloak: Program;
/** Without the audience check, and with it. */
const servers: ServerProcess[] = [];

beforeAll(async () => {
  folder = await openFolder();
  const downloads = join(CACHE, 'downloads');
  const zip = join(downloads, `keycloak-quarkus-dist-${VERSION}.zip`);
  await have(zip, mavenCopy(`org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`, downloads));
  const unpacked = join(CACHE, `keycloak-${VERSION}`);
  await have(unpacked, ['python3', '-m', 'zipfile', '-e', zip, CACHE]);
  // A copy, because Keycloak writes into its folder.
  const home = join(folder.path, 'keycloak');
  await cp(unpacked, home, { recursive: true });
  await mkdir(join(home, 'data/import'), { recursive: true });
  await writeFile(join(home, 'data/import/shop.json'), JSON.stringify(REALM));
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}/realms/shop`;
  const environment = {
    HOME: process.env['HOME'],
    KC_HTTP_HOST: '127.0.0.1',
    KC_HTTP_MANAGEMENT_PORT: String(await freePort()),
  };
  const command = ['bash', 'bin/kc.sh', 'start-dev', '--import-realm', `--http-port=${port}`];
  keycloak = startProgram(command, { cwd: home, environment });
  const url = `${issuer}/.well-known/openid-configuration`;
  while (!(await fetch(url).catch(() => undefined))?.ok) {
    if (keycloak.child.exitCode !== null) throw new Error(keycloak.output());
    await delay(250);
  }
  const AUTH_USERINFO_URL = `${issuer}/protocol/openid-connect/userinfo`;
  for (const gate of [{}, { AUTH_ISSUER: issuer, AUTH_AUDIENCE: AUDIENCE }]) {
    const DATABASE_URL = `file:${join(folder.path, `${servers.length}.db`)}`;
    servers.push(await startServer({ DATABASE_URL, AUTH_USERINFO_URL, ...gate }));
  }
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await keycloak?.stop();
  await folder.remove();
});

async function post(path: string, form: Readonly<Record<string, string>>) {
  const init = { method: 'POST', body: new URLSearchParams(form) };
  const response = await fetch(`${issuer}/protocol/openid-connect/${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text || '{}') as { access_token: string; id_token: string };
}

function signIn(client_id = 'shop-app') {
  const form = { grant_type: 'password', username: 'asha', password: PASSWORD, scope: 'openid' };
  return post('token', { ...form, client_id });
}

function statuses(token: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${token}` };
  const ask = (server: ServerProcess) => fetch(`${server.origin}/api/v1/customers`, { headers });
  return Promise.all(servers.map(async (server) => (await ask(server)).status));
}

it('Access tokens of the application are accepted; those of another one only without the audience check', async () => {
  const { access_token, id_token } = await signIn();
  expect(await statuses(access_token)).toEqual([200, 200]);
  expect(await statuses(id_token)).toEqual([401, 401]);
  expect(await statuses((await signIn('other-app')).access_token)).toEqual([200, 401]);
  expect(await statuses('made-up')).toEqual([401, 401]);
});

it('A revoked token is refused at once, and no token is in the log', async () => {
  const { access_token: token } = await signIn();
  expect(await statuses(token)).toEqual([200, 200]);
  await post('revoke', { client_id: 'shop-app', token });
  expect(await statuses(token)).toEqual([401, 401]);
  for (const server of servers) expect(server.output()).not.toMatch(/eyJ[\w-]{20}/);
});
