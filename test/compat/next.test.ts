// The service inside Next.js, as the embedding page puts it there: built for
// production, run as one process, with a second module that asks for the service.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answersByItself, keepsRecords } from '../support/embedded-service.js';
import { type IdentityStub, openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { pageCode } from '../support/pages.js';
import type { Program } from '../support/program.js';
import { openDistantRecipe, type Project, runNode, startNode } from './project.js';

const PAGE = 'src/embedding.md';
const HEADING = '## In Next.js';
const NEXT = join('node_modules', 'next/dist/bin/next');
const QUIET = { NEXT_TELEMETRY_DISABLED: '1' };

const PAGE_OF_OURS = `
import { service } from '../lib/service';
export const dynamic = 'force-dynamic';
export default async function Ours() {
  const handle = await service();
  const answer = await handle(new Request('http://localhost/api/v1/customers', { headers: { authorization: 'Bearer ${tokenOf('neema')}' } }));
  return <p>customers: {(await answer.json()).meta.pagination.total}</p>;
}
`;
const LAYOUT = `
export default function Layout({ children }: { children: React.ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}
`;

describe('The service in Next.js', () => {
  let identity: IdentityStub;
  let project: Project;
  let program: Program;
  let origin: string;

  beforeAll(async () => {
    identity = await openIdentityStub();
    const service = pageCode(PAGE, HEADING, 'ts').replace(/https:[^']+/, identity.url);
    project = await openDistantRecipe({
      'package.json': '{ "private": true }',
      'package-lock.json': '{ "lockfileVersion": 3 }',
      'lib/service.ts': service,
      'app/api/v1/[[...path]]/route.ts': pageCode(PAGE, '`app/api/v1/[[...path]]/route.ts`', 'ts'),
      'next.config.mjs': pageCode(PAGE, '`next.config.mjs`'),
      'app/page.tsx': PAGE_OF_OURS,
      'app/layout.tsx': LAYOUT,
    });
    await runNode(project, [NEXT, 'build'], QUIET);
    program = startNode(project, [NEXT, 'start', '--hostname', '127.0.0.1', '--port', '0'], QUIET);
    origin = await program.saw(/(http:\/\/127\.0\.0\.1:\d+)/);
    await program.saw(/Ready/);
  });
  afterAll(async () => {
    await program?.stop();
    await project?.remove();
    await identity.close();
  });

  it('keeps records, and answers every method itself', async () => {
    await keepsRecords(origin);
    await answersByItself(origin);
  });

  it('is one service for the route and for a page, whose module is another one', async () => {
    expect(await (await fetch(origin)).text()).toMatch(/customers: (<!-- -->)?[1-9]/);
    expect(program.output()).not.toContain('open already');
  });
});
