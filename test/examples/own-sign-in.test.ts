// What the embedding page says of sign-in of one's own, run as it is written.

import { mkdir } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UnsecuredJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import type { IdentityProvider } from '../../src/core/identity/identity-provider.js';
import { pageCode } from '../support/pages.js';
import { startProgram } from '../support/program.js';
import { openProject } from '../support/project.js';
import { openSigningProvider, type SigningProvider } from '../support/signing-provider.js';
import type { TemporaryFolder } from '../support/temporary-folder.js';

const PAGE = 'src/embedding.md';
const INVALID = { status: 'invalid' };

let project: TemporaryFolder;
afterEach(() => project.remove());

describe('The identity provider with jose', () => {
  async function ofThePage(provider: SigningProvider): Promise<IdentityProvider> {
    const code = pageCode(PAGE, 'For a provider that only issues JWTs');
    project = await openProject(
      { 'identity.js': code.replaceAll('https://id.example.com', provider.issuer) },
      ['jose'],
    );
    const module = await import(pathToFileURL(join(project.path, 'identity.js')).href);
    return module.identity;
  }

  it('lets in good tokens for this API alone', async () => {
    const provider = await openSigningProvider();
    const other = await openSigningProvider();
    provider.now = Date.now();
    other.now = Date.now();
    try {
      const identity = await ofThePage(provider);
      const ours = { aud: 'your-api' };
      const good = await identity.identify(await provider.token(ours));
      expect(good).toMatchObject({ status: 'identified', subject: 'asha' });
      const bad = [
        await provider.token({ aud: 'other' }),
        await provider.token({ ...ours, iss: 'https://id.example' }),
        await provider.token({ ...ours, exp: Math.floor(provider.now / 1000) - 60 }),
        await provider.token({ ...ours, sub: undefined }),
        await other.token({ ...ours, iss: provider.issuer }),
        new UnsecuredJWT({ ...ours, iss: provider.issuer, sub: 'asha' }).encode(),
        'opaque-token',
      ];
      for (const token of bad) expect(await identity.identify(token)).toEqual(INVALID);
      expect(provider.asked).toEqual(['/keys']);
    } finally {
      await provider.close();
      await other.close();
    }
  });

  it('says that it is unavailable where the keys cannot be had', async () => {
    const provider = await openSigningProvider();
    provider.now = Date.now();
    try {
      provider.broken.set('/keys', 500);
      const identity = await ofThePage(provider);
      const token = await provider.token({ aud: 'your-api' });
      expect(await identity.identify(token)).toEqual({ status: 'unavailable' });
    } finally {
      await provider.close();
    }
  });
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

describe('The program with better-auth', () => {
  it('signs a user up and keeps the records under the id of that user', async () => {
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
      const created = await fetch(`${origin}/api/v1/customers`, {
        method: 'POST',
        headers,
        body: '{"name":"Neema","phone":"1"}',
      });
      expect(created.status).toBe(201);
      expect(await created.json()).toMatchObject({ data: { owner_sub: user.id } });
      const madeUp = { headers: { authorization: 'Bearer made-up' } };
      expect((await fetch(`${origin}/api/v1/customers`, madeUp)).status).toBe(401);
    } finally {
      expect(await program.stop()).toBe(0);
    }
  });
});
