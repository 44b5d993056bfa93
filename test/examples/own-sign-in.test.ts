// What the embedding page says of sign-in of one's own, run as it is written.

import { mkdir } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UnsecuredJWT } from 'jose';
import { afterEach, expect, it } from 'vitest';
import type { IdentityProvider } from '../../src/core/identity/identity-provider.js';
import { pageCode } from '../support/pages.js';
import { startProgram } from '../support/program.js';
import { openProject } from '../support/project.js';
import { openSigningProvider } from '../support/signing-provider.js';
import type { TemporaryFolder } from '../support/temporary-folder.js';

const PAGE = 'src/embedding.md';

let project: TemporaryFolder;
afterEach(() => project.remove());

it('The identity provider with jose lets in good tokens for this API alone, and says when it has no keys', async () => {
  const [provider, other] = [await openSigningProvider(), await openSigningProvider()];
  provider.now = Date.now();
  other.now = Date.now();
  try {
    const { issuer } = provider;
    const code = pageCode(PAGE, 'For a provider that only issues JWTs');
    const ours = code.replaceAll('https://id.example.com', issuer);
    project = await openProject({ 'identity.js': ours, 'again.js': ours }, ['jose']);
    const identityIn = async (name: string): Promise<IdentityProvider> =>
      (await import(pathToFileURL(join(project.path, name)).href)).identity;
    const identity = await identityIn('identity.js');
    const aud = 'your-api';
    const good = await provider.token({ aud });
    expect(await identity.identify(good)).toMatchObject({ status: 'identified', subject: 'asha' });
    const bad = [
      await provider.token({ aud: 'other' }),
      await provider.token({ aud, iss: 'https://id.example' }),
      await provider.token({ aud, exp: Math.floor(provider.now / 1000) - 60 }),
      await provider.token({ aud, sub: undefined }),
      await other.token({ aud, iss: issuer }),
      new UnsecuredJWT({ aud, iss: issuer, sub: 'asha' }).encode(),
      'opaque-token',
    ];
    for (const token of bad) expect(await identity.identify(token)).toEqual({ status: 'invalid' });
    expect(provider.asked).toEqual(['/keys']);
    provider.broken.set('/keys', 500);
    const again = await identityIn('again.js');
    expect(await again.identify(good)).toEqual({ status: 'unavailable' });
  } finally {
    await provider.close();
    await other.close();
  }
});

/** The page's program as a Node without `node:sqlite` can run it. */
function inMemory(code: string): string {
  const users = 'memoryAdapter({ user: [], session: [], account: [], verification: [] })';
  return code
    .replace(
      /import \{ DatabaseSync \}.*/,
      "import { memoryAdapter } from 'better-auth/adapters/memory';",
    )
    .replace("new DatabaseSync('data/users.db')", users)
    .replace(/^import \{ getMigrations \}.*\n/m, '')
    .replace(/^await \(await getMigrations.*\n/m, '');
}

it('The program with better-auth signs a user up and keeps the records under the id of that user', async () => {
  const code = pageCode(PAGE, 'With [better-auth]').replace('port: 3000', 'port: 0');
  const main = isBuiltin('node:sqlite') ? code : inMemory(code);
  const packages = ['better-auth', 'hono', '@hono/node-server'];
  project = await openProject({ 'main.js': main }, packages);
  await mkdir(join(project.path, 'data'));
  const program = startProgram([process.execPath, 'main.js'], {
    cwd: project.path,
    environment: { BETTER_AUTH_SECRET: 's'.repeat(32) },
  });
  try {
    const origin = await program.saw(/^http:\S+$/m);
    const signedUp = await fetch(`${origin}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://127.0.0.1:3000' },
      body: '{"email":"asha@shop.example","password":"a-long-password","name":"Asha"}',
    });
    const { user } = (await signedUp.json()) as { user: { id: string } };
    const headers = { authorization: `Bearer ${signedUp.headers.get('set-auth-token')}` };
    const url = `${origin}/api/v1/customers`;
    const body = '{"name":"Neema","phone":"1"}';
    const created = await fetch(url, { method: 'POST', headers, body });
    expect(await created.json()).toMatchObject({ data: { owner_sub: user.id } });
    const madeUp = { headers: { authorization: 'Bearer made-up' } };
    expect((await fetch(url, madeUp)).status).toBe(401);
  } finally {
    expect(await program.stop()).toBe(0);
  }
});
