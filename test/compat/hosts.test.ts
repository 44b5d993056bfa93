// The service inside Express, as the embedding page mounts it.

import { expect, it, onTestFinished } from 'vitest';
import { servesTheApi, serviceFile } from '../support/embedded-service.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { pageCode } from '../support/pages.js';
import { openProject } from './project.js';

it('The service in Express keeps records, and ends once the file is released', async () => {
  const identity = await openIdentityStub();
  onTestFinished(() => identity.close());
  const project = await openProject('express', {
    'service.js': serviceFile(identity.url),
    'main.js': pageCode('src/embedding.md', '## In Express').replace('3000', '0'),
  });
  onTestFinished(() => project.remove());
  const program = project.start([process.execPath, 'main.js']);
  const origin = await program.saw(/^http:\S+$/m);
  await servesTheApi(origin);
  expect(await (await fetch(origin)).text()).toBe('Our own pages');
  await program.stop();
  expect([program.child.exitCode, program.child.signalCode]).toEqual([0, null]);
});
