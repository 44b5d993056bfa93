// The embedding page's ways to put the service into another program, run as they are
// written. `npm run compat` has Bun, Deno and the frameworks.

import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { miniflareOptions } from '../../scripts/worker/deployment.js';
import { servesTheApi, serviceFile } from '../support/embedded-service.js';
import { type IdentityStub, openIdentityStub } from '../support/identity-stub.js';
import { pageCode } from '../support/pages.js';
import { startProgram } from '../support/program.js';
import { openProject } from '../support/project.js';
import type { TemporaryFolder } from '../support/temporary-folder.js';
import { startMiniflare } from '../support/worker-host.js';

const PAGE = 'src/embedding.md';

let identity: IdentityStub;
let project: TemporaryFolder;
let stop = async () => {};

beforeAll(async () => {
  identity = await openIdentityStub();
});
afterEach(async () => {
  await stop();
  await project.remove();
});
afterAll(() => identity.close());

it.each([
  ['## In Hono', ['hono', '@hono/node-server']],
  ['## In a plain Node server', ['@hono/node-server']],
])('The example "%s" serves the API beside its own pages', async (words, packages) => {
  const files = {
    'service.js': serviceFile(identity.url),
    'main.js': pageCode(PAGE, words).replace('3000', '0'),
  };
  project = await openProject(files, packages);
  const program = startProgram([process.execPath, 'main.js'], { cwd: project.path });
  stop = async () => {
    await program.stop();
    // The example itself ended, once the file was released.
    expect([program.child.exitCode, program.child.signalCode]).toEqual([0, null]);
  };
  await servesBoth(await program.saw(/^http:\S+$/m));
});

it('The example for a Worker serves the API beside its own pages', async () => {
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
  const { origin } = await miniflare.ready;
  await servesTheApi(origin);
  expect(await (await fetch(origin)).text()).toBe('Our own pages');
});

/** The service inside keeps a record beside the example's own page. */
async function servesBoth(origin: string): Promise<void> {
  await servesTheApi(origin);
  expect(await (await fetch(origin)).text()).toBe('Our own pages');
}
