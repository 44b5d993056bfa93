// The service inside Express and Fastify, as the embedding page mounts it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answersByItself, keepsRecords, serviceFile } from '../support/embedded-service.js';
import { type IdentityStub, openIdentityStub } from '../support/identity-stub.js';
import { pageCode } from '../support/pages.js';
import type { Program } from '../support/program.js';
import { openRecipe, type Project, startNode } from './project.js';

const PAGE = 'src/embedding.md';

describe('The service', () => {
  let identity: IdentityStub;
  let project: Project;
  let program: Program;

  beforeAll(async () => {
    identity = await openIdentityStub();
  });
  afterEach(async () => {
    await program.stop();
    await project.remove();
    // The example itself ended, once the file was released.
    expect(program.child.exitCode).toBe(0);
  });
  afterAll(() => identity.close());

  it.each(['Express', 'Fastify'])('in %s keeps records beside its own pages', async (name) => {
    project = await openRecipe(name.toLowerCase(), {
      'service.js': serviceFile(identity.url),
      'main.js': pageCode(PAGE, `## In ${name}`).replace('3000', '0'),
    });
    program = startNode(project, ['main.js']);
    const origin = await program.saw(/^http:\S+$/m);
    await keepsRecords(origin);
    await answersByItself(origin);
    expect(await (await fetch(origin)).text()).toBe('Our own pages');
  });
});
