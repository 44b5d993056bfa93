// The polling recipe against a preview: it tells of each change once, outlives a
// service that is away, and ends with its signal.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageCode } from '../support/pages.js';
import { interrupted, printed, spawnPreview } from '../support/preview-process.js';
import type { Program } from '../support/program.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { MODULES, openRecipe, type Project } from './project.js';

let folder: TemporaryFolder;
let preview: Program;
let project: Project;

beforeAll(async () => {
  folder = await openTemporaryFolder();
  preview = spawnPreview(folder.path);
  project = await openRecipe('poll', {
    'poll.js': pageCode('src/clients/client/RECIPES.md', '`poll.js`'),
  });
});
afterAll(async () => {
  await interrupted(preview);
  await folder.remove();
  await project.remove();
});

it('Polling tells of each change once, and ends', async () => {
  const api = /runs at (\S+)/.exec(await printed(preview))?.[1] ?? '';
  const { poll } = await import(pathToFileURL(join(project.path, 'poll.js')).href);
  const client = join(MODULES, 'service-management-api/dist/client.js');
  const { createClient } = (await import(
    pathToFileURL(client).href
  )) as typeof import('../../src/client.js');
  let isAway = false;
  let reads = 0;
  const { orders } = createClient({
    baseUrl: api,
    token: 'local-polling',
    fetch: (...args) => {
      reads++;
      return isAway ? Promise.reject(new TypeError('away')) : fetch(...args);
    },
  });
  const totals: number[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  let told = () => {};
  const change = () =>
    new Promise<void>((resolve) => {
      told = resolve;
    });
  const onChange = (page: { pagination: { total: number } }) => {
    totals.push(page.pagination.total);
    told();
  };
  const first = change();
  const polling = poll((ended: AbortSignal) => orders.list({}, { signal: ended }), onChange, {
    signal,
    everyMs: 5,
  });
  await first;
  const second = change();
  const { id } = await orders.create({ customer: 'A', service: 'B', amount: 1 });
  await second;
  isAway = true;
  const before = reads;
  while (reads < before + 4) await new Promise((resolve) => setImmediate(resolve));
  isAway = false;
  const third = change();
  await orders.update(id, { paid: 1 });
  await third;
  controller.abort();
  await polling;
  expect(totals).toEqual([0, 1, 1]);
  await expect(
    poll(() => Promise.reject({ code: 'UNAUTHORIZED' }), onChange, {
      signal: new AbortController().signal,
    }),
  ).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
