// better-auth, from npm: its own sessions as bearer tokens, asked for with `get-session`.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, Program, pause } from './program.js';
import type { OpenProvider, Step } from './real-provider.js';

const VERSION = '1.7.25';
const PASSWORD = 'a-password-of-the-trial';

/** An application that uses better-auth; `/control` stands for what its own code would do. */
const APPLICATION = `
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { toNodeHandler } from 'better-auth/node';
import { admin, bearer } from 'better-auth/plugins';

const origin = process.argv[2];
const tables = { user: [], session: [], account: [], verification: [] };
const auth = betterAuth({
  baseURL: origin,
  secret: 'a-secret-of-the-trial-that-is-long-enough',
  database: memoryAdapter(tables),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  user: { deleteUser: { enabled: true } },
  plugins: [bearer(), admin()],
});
const handle = toNodeHandler(auth);
createServer((request, response) => {
  const url = new URL(request.url, origin);
  if (url.pathname !== '/control') return handle(request, response);
  const user = tables.user.find(({ email }) => email === url.searchParams.get('email'));
  if (url.searchParams.has('admin')) user.role = 'admin';
  if (url.searchParams.has('expire')) {
    for (const session of tables.session) {
      if (session.userId === user.id) session.expiresAt = new Date(Date.now() + 1000);
    }
  }
  response.end();
}).listen(new URL(origin).port, '127.0.0.1');
`;

export const openBetterAuth: OpenProvider = async (cache, folder) => {
  // Below the project's folder, where its packages are found.
  const home = join(cache, 'better-auth');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'application.mjs'), APPLICATION);
  const origin = `http://127.0.0.1:${await freePort()}`;
  const program = new Program({
    command: process.execPath,
    args: ['application.mjs', origin],
    folder: home,
    readyUrl: `${origin}/api/auth/ok`,
    logFile: join(folder, 'better-auth.log'),
  });
  await program.start();
  return {
    name: `better-auth ${VERSION}`,
    settings: {
      AUTH_USERINFO_URL: `${origin}/api/auth/get-session`,
      AUTH_SUBJECT_FIELD: 'user.id',
    },
    gate: undefined,
    expected: {
      open: {
        good: 200,
        'made up': 401,
        expired: 401,
        revoked: 401,
        'user disabled': 401,
        'user deleted': 401,
      },
    },
    token: (step, use) => tokenFor(step, use, origin),
    down: () => program.stop(),
    up: () => program.start(),
    close: () => program.stop(),
  };
};

async function tokenFor(
  step: Step,
  use: (token: string) => Promise<void>,
  origin: string,
): Promise<string | undefined> {
  // It is one application with sessions: no scopes, no other clients, no ID tokens.
  if (step === 'other client' || step === 'ID token' || step === 'no scope') return undefined;
  const { email, token, id } = await signUp(origin);
  const isEnding = step !== 'good' && step !== 'made up';
  if (isEnding) await use(token);
  if (step === 'expired') {
    await fetch(`${origin}/control?expire&email=${encodeURIComponent(email)}`);
    await pause(2_000);
  }
  if (step === 'revoked') await post(origin, 'sign-out', {}, token);
  if (step === 'user deleted') await post(origin, 'delete-user', { password: PASSWORD }, token);
  if (step === 'user disabled') {
    const admin = await signUp(origin);
    await fetch(`${origin}/control?admin&email=${encodeURIComponent(admin.email)}`);
    await post(origin, 'admin/ban-user', { userId: id }, admin.token);
  }
  return token;
}

async function signUp(origin: string) {
  const email = `${crypto.randomUUID()}@shop.example`;
  const answer = await post(origin, 'sign-up/email', { email, password: PASSWORD, name: 'Asha' });
  const { user } = (await answer.json()) as { user: { id: string } };
  const token = answer.headers.get('set-auth-token');
  if (token === null) throw new Error('the bearer plugin gave no token');
  return { email, token, id: user.id };
}

async function post(origin: string, path: string, body: object, token?: string) {
  const response = await fetch(`${origin}/api/auth/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin,
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}
