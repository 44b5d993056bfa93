// A small version of the trial `model`, on the handler and on the built server.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { type Host, inProcess, overHttp } from './model/hosts.js';
import { runsOf } from './model/run.js';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await openTemporaryFolder();
});
afterAll(() => folder.remove());

it.each<[string, Host, number]>([
  ['the handler in process', inProcess, 1_500],
  ['node dist/server.js', overHttp, 300],
])(
  'every answer, view and record of %s is as the model says',
  { timeout: 180_000 },
  async (_name, host, commands) => {
    const totals = await runsOf({ host, folder: folder.path, commands });
    expect(totals.failure).toBeUndefined();
    expect(totals.commands).toBeGreaterThanOrEqual(commands);
  },
);
