// What the embedding page says of a program's own tests, storage and sign-in, run as it is written.

import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { UnsecuredJWT } from 'jose';
import { createHandler, FailureError, openRecords } from 'service-management-api';
import { localIdentity, openMemoryStorage } from 'service-management-api/memory';
import { expect, it, onTestFinished } from 'vitest';
import type { IdentityProvider } from '../../src/core/identity/identity-provider.js';
import { pageCode } from '../support/pages.js';
import { startProgram } from '../support/program.js';
import { openProject } from '../support/project.js';
import { openSigningProvider } from '../support/signing-provider.js';

const run = promisify(execFile);
const PAGE = 'src/embedding.md';
const URL = 'http://localhost/api/v1/customers';
const ENGINE = pageCode(PAGE, '### An engine in about a hundred lines');

const ON_DISK = `
import { mkdtempSync } from 'node:fs';
import { openSqliteStorage } from './engine.js';
export async function makeHome() {
  const folder = mkdtempSync('engine-');
  return { open: async () => openSqliteStorage(folder + '/records.db'), async remove() {} };
}
`;

async function opened(files: Record<string, string>, packages: string[]) {
  const project = await openProject(files, packages);
  onTestFinished(() => project.remove());
  return project;
}

/** What Node's program prints in a project of these files. */
async function printed(files: Record<string, string>, ...args: string[]): Promise<string> {
  const project = await opened(files, ['libsql']);
  const ran = run(process.execPath, args, { cwd: project.path });
  return (await ran.catch((failed: { stdout: string }) => failed)).stdout;
}

/** What the page's checks say of a storage. A Node without node:sqlite runs the engine on libsql, whose interface is the same where it uses it. */
function checked(ourStorage: string, engine = ENGINE): Promise<string> {
  const files = {
    'storage.test.js': pageCode(PAGE, '### The checks'),
    'our-storage.js': ourStorage,
    'engine.js': isBuiltin('node:sqlite')
      ? engine
      : engine.replace("{ DatabaseSync } from 'node:sqlite'", "DatabaseSync from 'libsql'"),
  };
  return printed(files, '--test', '--test-reporter=tap', 'storage.test.js');
}

it('The page’s test runs the service in memory, with the client on the handler', async () => {
  const stdout = await printed({ 'test.js': pageCode(PAGE, '## In tests') }, 'test.js');
  expect(stdout.trim()).toBe('CUS-0001 1');
});

it('The page’s engine keeps every promise, in about a hundred lines; without its fence, all but that of a second opening', async () => {
  expect(ENGINE.trim().split('\n').length).toBeLessThan(125);
  expect(await checked(ON_DISK)).toMatch(/^# pass (1[89]|[2-9]\d)$[\s\S]*^# fail 0$/m);
  const fence = 'if (epochOf.get().epoch !== epoch)';
  expect(ENGINE).toContain(fence);
  const unfenced = await checked(ON_DISK, ENGINE.replace(fence, 'if (false)'));
  expect(unfenced).toMatch(/not ok \d+ - refuses a second opening[\s\S]*^# fail 2$/m);
});

it('A store of one’s own answers 503 with Retry-After by a FailureError', async () => {
  const records = await openRecords({ storage: openMemoryStorage({ sampleRows: false }) });
  const list = () => {
    throw new FailureError({ code: 'STORAGE_UNAVAILABLE', message: 'away', retryAfterSeconds: 7 });
  };
  const account = (owner: string) => ({ ...records.account(owner), list });
  const handle = createHandler({ records: { ...records, account }, identity: localIdentity() });
  const headers = { authorization: 'Bearer local-amina' };
  const response = await handle(new Request(URL, { headers }));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7']);
  expect(await response.json()).toMatchObject({ error: { code: 'STORAGE_UNAVAILABLE' } });
  await records.close();
});

it('The identity provider with jose lets in good tokens for this API alone, and says when it has no keys', async () => {
  const [provider, other] = [await openSigningProvider(), await openSigningProvider()];
  onTestFinished(() => Promise.all([provider.close(), other.close()]).then(() => {}));
  const now = Date.now();
  [provider.now, other.now] = [now, now];
  const { issuer: iss } = provider;
  const code = pageCode(PAGE, 'For a provider that only issues JWTs');
  const ours = code.replaceAll('https://id.example.com', iss);
  const project = await opened({ 'identity.js': ours, 'again.js': ours }, ['jose']);
  const identityIn = async (name: string): Promise<IdentityProvider> =>
    (await import(pathToFileURL(join(project.path, name)).href)).identity;
  const identity = await identityIn('identity.js');
  const aud = 'your-api';
  const good = await provider.token({ aud });
  expect(await identity.identify(good)).toMatchObject({ status: 'identified', subject: 'asha' });
  const claims = [{ aud: 'other' }, { aud, iss: 'x' }, { aud, exp: 1 }, { aud, sub: undefined }];
  const bad = [
    ...(await Promise.all(claims.map((one) => provider.token(one)))),
    await other.token({ aud, iss }),
    new UnsecuredJWT({ aud, iss, sub: 'asha' }).encode(),
    'opaque-token',
  ];
  for (const token of bad) expect(await identity.identify(token)).toEqual({ status: 'invalid' });
  expect(provider.asked).toEqual(['/keys']);
  provider.broken.set('/keys', 500);
  const again = await identityIn('again.js');
  expect(await again.identify(good)).toEqual({ status: 'unavailable' });
});

/** The page's program as a Node without `node:sqlite` can run it. */
function inMemory(code: string): string {
  const users = 'memoryAdapter({ user: [], session: [], account: [], verification: [] })';
  const adapter = "import { memoryAdapter } from 'better-auth/adapters/memory';";
  return code
    .replace(/import \{ DatabaseSync \}.*/, adapter)
    .replace("new DatabaseSync('data/users.db')", users)
    .replace(/^import \{ getMigrations \}.*\n/m, '')
    .replace(/^await \(await getMigrations.*\n/m, '');
}

it('The program with better-auth signs a user up and keeps the records under the id of that user', async () => {
  const code = pageCode(PAGE, 'With [better-auth]').replace('port: 3000', 'port: 0');
  const main = isBuiltin('node:sqlite') ? code : inMemory(code);
  const packages = ['better-auth', 'hono', '@hono/node-server'];
  const project = await opened({ 'main.js': main }, packages);
  await mkdir(join(project.path, 'data'));
  const environment = { BETTER_AUTH_SECRET: 's'.repeat(32) };
  const how = { cwd: project.path, environment };
  const program = startProgram([process.execPath, 'main.js'], how);
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
