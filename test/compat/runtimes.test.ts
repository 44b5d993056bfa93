// Bun and Deno: the embedding page's examples for them, and the client's example.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepsRecords, serviceFile } from '../support/embedded-service.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { pageCode } from '../support/pages.js';
import { interrupted, printed, spawnPreview } from '../support/preview-process.js';
import { startProgram } from '../support/program.js';
import { openProject } from '../support/project.js';
import { CACHE } from './program.js';

const RUNTIMES = [
  ['Bun', [join(CACHE, 'node_modules/.bin/bun')]],
  ['Deno', [join(CACHE, 'node_modules/.bin/deno'), 'run', '-A', '--node-modules-dir=manual']],
] as const;

describe.each(RUNTIMES)('%s', (name, [command, ...options]) => {
  it('serves the API from the example of the page', async () => {
    const identity = await openIdentityStub();
    onTestFinished(() => identity.close());
    const project = await openProject({
      'service.js': serviceFile(identity.url),
      'main.js': pageCode('src/embedding.md', `## In ${name}`).replace('3000', '0'),
    });
    onTestFinished(() => project.remove());
    const program = startProgram([command, ...options, 'main.js'], { cwd: project.path });
    await keepsRecords(await program.saw(/^http:\S+$/m));
    await program.stop();
    // The example itself ended, once the file was released.
    expect([program.child.exitCode, program.child.signalCode]).toEqual([0, null]);
  });

  it("runs the client's example", async () => {
    const project = await openProject({});
    const preview = spawnPreview(project.path);
    onTestFinished(async () => {
      await interrupted(preview);
      await project.remove();
    });
    const api = /runs at (\S+)/.exec(await printed(preview))?.[1] ?? '';
    const code = pageCode('src/clients/client/README.md', '## The typed client');
    await writeFile(join(project.path, 'client.js'), code.replace(/http:[^']+/, api));
    const args = [...options, 'client.js'];
    const { stdout } = await promisify(execFile)(command, args, { cwd: project.path });
    expect(stdout).toMatch(/^Neema Mushi \+255 713 445 210\nNOT_FOUND 404 req_[0-9a-f]{16}\n$/);
  });
});
