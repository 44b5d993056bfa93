// The embedding page's examples, run as a reader would: in a separate folder with the built package
// installed. `npm run compat` has Express.

import { execFile } from 'node:child_process';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { miniflareOptions } from '../../scripts/worker/deployment.js';
import { replyOf } from '../support/contract.js';
import { asAccount, type IdentityStub, openIdentityStub } from '../support/identity-stub.js';
import { pageCode, ROOT, textOf } from '../support/pages.js';
import { startProgram } from '../support/program.js';
import { openProject } from '../support/project.js';
import { openFolder, type TestFolder } from '../support/test-folder.js';
import { startMiniflare } from '../support/worker-host.js';

const run = promisify(execFile);
const { exports: exported } = JSON.parse(textOf('package.json'));
const PAGE = 'src/embedding.md';
const EXAMPLE = pageCode(PAGE, '## The handler');

/** The package's files that are not exports. */
const PACKED = ['openapi.json', 'client-shared.js', 'THIRD-PARTY-NOTICES.txt'];

let identity: IdentityStub;
let project: TestFolder | undefined;
let stop = async () => {};

beforeAll(async () => {
  identity = await openIdentityStub();
});
afterEach(async () => {
  await stop();
  await project?.remove();
  [stop, project] = [async () => {}, undefined];
});
afterAll(() => identity.close());

it('The embedding page’s example runs the whole service over a libSQL file, in about a dozen lines', async () => {
  project = await openProject({ 'embed.js': EXAMPLE });
  const lines = EXAMPLE.split('\n').filter((line) => line.trim() !== '');
  expect(lines.length).toBeLessThanOrEqual(15);
  const { stdout } = await run(process.execPath, ['embed.js'], { cwd: project.path });
  expect(stdout).toMatch(/^200 \{/);
  expect(stdout).toContain("status: 'ok'");
});

it('The examples of embedding and of the client type-check with only the packed files installed', async () => {
  const stranger = await openFolder();
  onTestFinished(() => stranger.remove());
  const at = (...names: string[]) => join(stranger.path, ...names);
  const installed = at('node_modules/service-management-api');
  await cp(join(ROOT, 'dist'), join(installed, 'dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(installed, 'package.json'));
  for (const types of ['@types', 'undici-types']) {
    await symlink(join(ROOT, 'node_modules', types), at('node_modules', types));
  }
  await writeFile(at('package.json'), '{ "type": "module" }');
  await writeFile(at('embed.ts'), EXAMPLE);
  const client = pageCode('src/clients/client/README.md', '## The typed client');
  await writeFile(at('client.ts'), client);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  for (const resolution of ['NodeNext', 'Bundler']) {
    const module = resolution === 'Bundler' ? 'ESNext' : resolution;
    const options = `--noEmit --strict --target ES2023 --types node --module ${module} --moduleResolution ${resolution}`;
    const args = [tsc, ...options.split(' '), 'embed.ts', 'client.ts'];
    const compiled = run(process.execPath, args, { cwd: stranger.path });
    expect(await compiled.catch(({ stdout }) => stdout)).toMatchObject({ stdout: '' });
  }
});

it('The package has every public file and the notices, no file of the preview, and a core that imports no module', async () => {
  expect(textOf('dist/handler.js')).not.toMatch(/^import\b|node:/m);
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run('npm', pack, { cwd: ROOT });
  const [{ files }] = JSON.parse(stdout);
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  const named = Object.values<{ default?: string }>(exported).flatMap((one) => one.default ?? []);
  const wanted = [...named.map((path) => path.slice(2)), ...PACKED.map((name) => `dist/${name}`)];
  expect(paths).toEqual(expect.arrayContaining(wanted));
  // The first is the stamp of the build.
  expect(paths.filter((path) => /^dist\/\.|preview|reference|swagger/.test(path))).toEqual([]);
});

it.each([
  ['## In Hono', ['hono', '@hono/node-server']],
  ['## In a plain Node server', ['@hono/node-server']],
])('The example "%s" serves the API and its own pages', async (words, packages) => {
  const files = {
    'service.js': serviceFile(),
    'main.js': pageCode(PAGE, words).replace('3000', '0'),
  };
  project = await openProject(files, packages);
  const program = startProgram([process.execPath, 'main.js'], { cwd: project.path });
  stop = async () => {
    await program.stop();
    // The example exited by itself, once the file was released.
    expect([program.child.exitCode, program.child.signalCode]).toEqual([0, null]);
  };
  await servesBoth(await program.saw(/^http:\S+$/m));
});

it('The example for a Worker serves the API and its own pages', async () => {
  project = await openProject({ 'worker.js': pageCode(PAGE, '## In a Worker of your own') });
  // As wrangler bundles a program that is not built yet.
  const { outputFiles } = await build({
    absWorkingDir: project.path,
    entryPoints: ['worker.js'],
    bundle: true,
    format: 'esm',
    external: ['cloudflare:workers'],
    write: false,
  });
  const options = miniflareOptions({
    folder: join(project.path, 'state'),
    settings: { AUTH_USERINFO_URL: identity.url },
  });
  const path = join(options.modulesRoot, 'worker.js');
  const contents = outputFiles[0]?.text ?? '';
  const worker = { ...options, modules: [{ type: 'ESModule' as const, path, contents }] };
  const miniflare = await startMiniflare([worker]);
  stop = () => miniflare.dispose();
  await servesBoth((await miniflare.ready).origin);
});

/** `service.js` as the page says to make it. */
function serviceFile(): string {
  const [service] = EXAMPLE.split('\nconst response');
  const end = pageCode(PAGE, 'For the examples below');
  return `${service?.replace(/https:[^']+/, identity.url)}\n${end}`;
}

/**
 * The embedded service stores a record next to the example's own page, and handles requests that
 * frameworks often handle themselves, or whose body they read first.
 */
async function servesBoth(origin: string): Promise<void> {
  const send = async (method: string, path: string, body?: string, more = {}) => {
    const headers = { ...asAccount('neema'), ...more };
    const init = { method, headers, ...(body !== undefined && { body }) };
    return replyOf(await fetch(`${origin}/api/v1${path}`, init));
  };
  const json = { 'Content-Type': 'application/json', 'X-Request-ID': 'mine' };
  const created = await send('POST', '/customers', '{"name":"Zoë","phone":"1"}', json);
  expect([created.status, created.headers.get('x-request-id')]).toEqual([201, 'mine']);
  expect(created.json.data).toMatchObject({ name: 'Zoë', owner_sub: 'neema' });
  const read = await send('GET', `/customers/${created.json.data.id}`);
  expect(read.json.data).toEqual(created.json.data);
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
  expect((await send('POST', '/customers', '{"name":"A","phone":"1"}', form)).status).toBe(201);
  const bad = await send('POST', '/customers', '{"name":', json);
  expect([bad.status, bad.json]).toMatchObject([400, { error: { code: 'INVALID_JSON' } }]);
  expect((await send('POST', '/customers', `"${'a'.repeat(2 ** 20)}"`, json)).status).toBe(400);
  for (const [method, status] of Object.entries({ PUT: 405, HEAD: 405, OPTIONS: 204 })) {
    expect((await send(method, '/customers')).status).toBe(status);
  }
  expect((await send('GET', '')).status).toBe(404);
  expect((await send('GET', '/customers', undefined, { Authorization: '' })).status).toBe(401);
  expect(await (await fetch(origin)).text()).toBe('Our own pages');
}
