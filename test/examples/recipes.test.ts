// The requests of the front page and the recipes of the client page, against a
// preview of their own, as a reader would run them.

import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageCode } from '../support/pages.js';
import type { Program } from '../support/program.js';
import { openProject } from '../support/project.js';
import { startPreview } from '../support/server-process.js';
import type { TestFolder } from '../support/test-folder.js';

const run = promisify(execFile);
const PAGE = 'src/clients/client/README.md';
const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

let project: TestFolder;
let preview: Program;
let api: string;

beforeAll(async () => {
  project = await openProject({});
  preview = await startPreview(project.path);
  api = /runs at (\S+)/.exec(preview.output())?.[1] ?? '';
});
afterAll(async () => {
  await preview.stop('SIGINT');
  await project.remove();
});

it.runIf(HAS_CURL).each(['send a new customer', 'List the customers'])(
  'The front page shows the real response: %s',
  async (words) => {
    const command = pageCode('README.md', words, 'sh').replace(/http:\/\/[^/]+\/api\/v1/, api);
    const { stdout } = await run('sh', ['-e', '-c', command]);
    const shown = JSON.parse(pageCode('README.md', words, 'json'));
    const { meta, data } = JSON.parse(stdout);
    // These differ with every request.
    const { request_id, timestamp } = shown.meta;
    const answered = { data, meta: { ...meta, request_id, timestamp } };
    expect(JSON.stringify(answered)).toBe(JSON.stringify(shown));
  },
);

it('The client’s example runs as shown', async () => {
  const code = pageCode(PAGE, '## The typed client').replace(/http:[^']+/, api);
  await writeFile(join(project.path, 'client.js'), code);
  const { stdout } = await run(process.execPath, ['client.js'], { cwd: project.path });
  expect(stdout.trim().split('\n')).toEqual([
    'Neema Mushi +255 713 445 210',
    expect.stringMatching(/^NOT_FOUND 404 req_[0-9a-f]{16}$/),
  ]);
});
