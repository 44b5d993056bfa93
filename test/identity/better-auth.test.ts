// Contract, "Authentication", with a real better-auth: its sessions are the
// tokens, and it refuses one with 200 and `null`.

import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { toNodeHandler } from 'better-auth/node';
import { bearer } from 'better-auth/plugins';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSignIn, type SignIn } from '../../src/core/identity/sign-in.js';
import { post, signUp } from '../support/better-auth.js';
import { onLoopback } from '../support/loopback.js';
import { signInSettings } from '../support/sign-in-settings.js';

describe('With better-auth', () => {
  let origin: string;
  let close: () => Promise<void>;
  let signIn: SignIn;

  beforeAll(async () => {
    const server = createServer();
    ({ origin, close } = await onLoopback(server));
    const auth = betterAuth({
      baseURL: origin,
      secret: 'a-secret-of-the-tests-that-is-long-enough',
      database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
      emailAndPassword: { enabled: true },
      rateLimit: { enabled: false },
      plugins: [bearer()],
    });
    server.on('request', toNodeHandler(auth));
    signIn = openSignIn({
      settings: signInSettings({
        userinfoUrl: `${origin}/api/auth/get-session`,
        subjectField: 'user.id',
      }),
    });
  });

  afterAll(() => close());

  it('a session opens its account until it is signed out', async () => {
    const { token, id: subject } = await signUp(origin);
    expect(await signIn.identity.identify(token)).toMatchObject({ status: 'identified', subject });
    await post(origin, 'sign-out', {}, token);
    expect(await signIn.identity.identify(token)).toEqual({ status: 'invalid' });
  });

  it('a made-up token is refused, and the start reports that', async () => {
    expect(await signIn.identity.identify('made-up')).toEqual({ status: 'invalid' });
    expect(await signIn.probe()).toEqual({
      ok: true,
      found: 'a made-up token is refused with status 200',
      remedy: null,
    });
  });
});
