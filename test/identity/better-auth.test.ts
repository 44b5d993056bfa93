// Contract, "Authentication", with a real better-auth: its sessions are the
// tokens, and it refuses one with 200 and `null`.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { toNodeHandler } from 'better-auth/node';
import { bearer } from 'better-auth/plugins';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSignIn, type SignIn } from '../../src/core/identity/sign-in.js';

const PASSWORD = 'a-password-of-the-tests';

describe('With better-auth', () => {
  let server: Server;
  let origin: string;
  let signIn: SignIn;

  beforeAll(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
      settings: {
        userinfo: 'on',
        userinfoUrl: `${origin}/api/auth/get-session`,
        headers: {},
        method: 'GET',
        subjectField: 'user.id',
        issuer: undefined,
        jwksUrl: undefined,
        audiences: [],
        cacheSeconds: 0,
      },
    });
  });

  afterAll(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );

  async function send(path: string, body: object, token?: string) {
    const response = await fetch(`${origin}/api/auth/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin,
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return response;
  }

  it('a session opens its account until it is signed out', async () => {
    const user = { email: 'asha@shop.example', password: PASSWORD, name: 'Asha' };
    const answer = await send('sign-up/email', user);
    const token = answer.headers.get('set-auth-token') ?? '';
    const subject = ((await answer.json()) as { user: { id: string } }).user.id;
    expect(await signIn.identity.identify(token)).toMatchObject({ status: 'identified', subject });
    await send('sign-out', {}, token);
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
