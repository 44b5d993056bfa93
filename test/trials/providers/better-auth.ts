// better-auth, from npm: its own sessions as bearer tokens, asked for with `get-session`.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../scripts/free-port.js';
import { PASSWORD, post, signUp } from '../../support/better-auth.js';
import { startProvider } from './program.js';
import type { OpenProvider, Step, Use } from './real-provider.js';

const VERSION = '1.7.25';

const APPLICATION = fileURLToPath(new URL('better-auth-application.js', import.meta.url));

export const openBetterAuth: OpenProvider = async (folder) => {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const program = await startProvider({
    command: process.execPath,
    args: [APPLICATION, origin],
    folder,
    readyUrl: `${origin}/api/auth/ok`,
    logFile: join(folder, 'better-auth.log'),
  });
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
    ...program,
  };
};

async function tokenFor(step: Step, use: Use, origin: string) {
  // It is one application with sessions: no scopes, no other clients, no ID tokens.
  if (step === 'other client' || step === 'ID token' || step === 'no scope') return undefined;
  const { email, token, id } = await signUp(origin);
  const isEnding = step !== 'good' && step !== 'made up';
  if (isEnding) await use(token);
  if (step === 'expired') {
    await fetch(`${origin}/control?expire&email=${encodeURIComponent(email)}`);
    await delay(2_000);
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
