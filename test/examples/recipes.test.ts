// The requests of the front page and the recipes of the client page, against a
// preview of their own, as a reader would run them.

import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageCode } from '../support/pages.js';
import { interrupted, printed, spawnPreview } from '../support/preview-process.js';
import type { Program } from '../support/program.js';
import { openProject } from '../support/project.js';
import type { TemporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
const PAGE = 'src/clients/client/README.md';
const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

let project: TemporaryFolder;
let preview: Program;
let api: string;

beforeAll(async () => {
  project = await openProject({});
  preview = spawnPreview(project.path);
  api = /runs at (\S+)/.exec(await printed(preview))?.[1] ?? '';
});
afterAll(async () => {
  await interrupted(preview);
  await project.remove();
});

describe.runIf(HAS_CURL)('The front page', () => {
  /** The command after the words, against this preview, and the answer that the page shows after it. */
  async function exchange(words: string) {
    const command = pageCode('README.md', words, 'sh').replace(/http:\/\/[^/]+\/api\/v1/, api);
    const { stdout } = await run('sh', ['-e', '-c', command]);
    const shown = JSON.parse(pageCode('README.md', words, 'json'));
    return { answered: JSON.parse(stdout), shown };
  }

  it.each(['send a new customer', 'List the customers'])(
    'shows the real answer: %s',
    async (words) => {
      const { answered, shown } = await exchange(words);
      const { meta, data } = answered;
      expect({ data, meta: { ...meta, ...timeless(shown.meta) } }).toEqual(shown);
      expect(Object.keys(meta)).toEqual(Object.keys(shown.meta));
      expect(JSON.stringify(data)).toBe(JSON.stringify(shown.data));
    },
  );

  /** Properties of `meta` that differ with every request. */
  function timeless({ request_id, timestamp }: { request_id: string; timestamp: string }) {
    return { request_id, timestamp };
  }
});

it.runIf(HAS_CURL)('A day at the salon ends with everything paid', async () => {
  const script = pageCode(PAGE, '## A day at the salon', 'sh');
  const { stdout } = await run('sh', ['-e', '-c', script.replace(/http:\S+/, api)]);
  const answers = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
  expect(answers).toHaveLength(6);
  expect(answers[2].data).toMatchObject({ paid: 20000, status: 'In progress' });
  expect(answers.at(-1).data).toMatchObject([
    {
      customer: 'Zawadi Temu',
      amount: 45000,
      paid: 45000,
      due: 0,
      status: 'paid',
      method: 'M-Pesa',
    },
  ]);
});

it('The client’s example runs as shown', async () => {
  const code = pageCode(PAGE, '## The typed client').replace(/http:[^']+/, api);
  await writeFile(join(project.path, 'client.js'), code);
  const { stdout } = await run(process.execPath, ['client.js'], { cwd: project.path });
  expect(stdout.trim().split('\n')).toEqual([
    'Neema Mushi +255 713 445 210',
    expect.stringMatching(/^NOT_FOUND 404 req_[0-9a-f]{16}$/),
  ]);
});
