// The service inside other frameworks and runtimes, as the embedding page mounts it, and the
// client's example on those runtimes.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { servesTheApi, serviceFile } from '../support/embedded-service.js';
import { type IdentityStub, openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { pageCode } from '../support/pages.js';
import { MODULES, openPreview, openProject } from './project.js';

const PAGE = 'src/embedding.md';
const BUN = [join(MODULES, '.bin/bun')];
const DENO = [join(MODULES, '.bin/deno'), 'run', '-A', '--node-modules-dir=manual'];

let identity: IdentityStub;
beforeAll(async () => {
  identity = await openIdentityStub();
});
afterAll(() => identity.close());

it.each([
  ['Express', [process.execPath]],
  ['Fastify', [process.execPath]],
  ['Bun', BUN],
  ['Deno', DENO],
])('The service in %s keeps records, and ends once the file is released', async (name, command) => {
  const project = await openProject(name.toLowerCase(), {
    'service.js': serviceFile(identity.url),
    'main.js': pageCode(PAGE, `## In ${name}`).replace('3000', '0'),
  });
  onTestFinished(() => project.remove());
  const program = project.start([...command, 'main.js']);
  const origin = await program.saw(/^http:\S+$/m);
  await servesTheApi(origin);
  if (command[0] === process.execPath) {
    expect(await (await fetch(origin)).text()).toBe('Our own pages');
  }
  await program.stop();
  expect([program.child.exitCode, program.child.signalCode]).toEqual([0, null]);
});

it.each([
  ['Bun', BUN],
  ['Deno', DENO],
])("%s runs the client's example", async (name, command) => {
  const { api } = await openPreview();
  const code = pageCode('src/clients/client/README.md', '## The typed client');
  const files = { 'client.js': code.replace(/http:[^']+/, api) };
  const project = await openProject(`client-${name}`, files);
  onTestFinished(() => project.remove());
  expect(await project.run([...command, 'client.js'])).toMatch(
    /Neema Mushi \+255 713 445 210\nNOT_FOUND 404 req_[0-9a-f]{16}\n$/,
  );
});

it('The service in Next.js is one for the route and for a page, whose module is another one', async () => {
  const ours = `
import { service } from '../lib/service';
export const dynamic = 'force-dynamic';
export default async function Ours() {
  const handle = await service();
  const answer = await handle(new Request('http://localhost/api/v1/customers', { headers: { authorization: 'Bearer ${tokenOf('neema')}' } }));
  return <p>customers: {(await answer.json()).meta.pagination.total}</p>;
}`;
  const files = {
    'package.json': '{ "private": true }',
    'package-lock.json': '{ "lockfileVersion": 3 }',
    'lib/service.ts': pageCode(PAGE, '## In Next.js', 'ts').replace(/https:[^']+/, identity.url),
    'app/api/v1/[[...path]]/route.ts': pageCode(PAGE, '`app/api/v1/[[...path]]/route.ts`', 'ts'),
    'next.config.mjs': pageCode(PAGE, '`next.config.mjs`'),
    'app/page.tsx': ours,
    'app/layout.tsx': `export default function Layout({ children }: { children: React.ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}`,
  };
  const project = await openProject('next', files, true);
  onTestFinished(() => project.remove());
  const next = [process.execPath, 'node_modules/next/dist/bin/next'];
  const quiet = { NEXT_TELEMETRY_DISABLED: '1' };
  await project.run([...next, 'build'], quiet);
  const program = project.start([...next, 'start', '-H', '127.0.0.1', '-p', '0'], quiet);
  onTestFinished(async () => void (await program.stop()));
  const origin = await program.saw(/(http:\/\/127\.0\.0\.1:\d+)/);
  await program.saw(/Ready/);
  await servesTheApi(origin);
  expect(await (await fetch(origin)).text()).toMatch(/customers: (<!-- -->)?[1-9]/);
  expect(program.output()).not.toContain('open already');
});
