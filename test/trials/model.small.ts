// A small version of the trial `model` on the built server; model.test.ts has the handler.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { overHttp } from './model/hosts.js';
import { runsOf } from './model/run.js';

const COMMANDS = 300;

it('Every answer, view and record of node dist/server.js is as the model says', async () => {
  const { path, remove } = await openTemporaryFolder();
  const run = runsOf({ host: overHttp, folder: path, commands: COMMANDS });
  const totals = await run.finally(remove);
  expect(totals.failure).toBeUndefined();
  expect(totals.commands).toBeGreaterThanOrEqual(COMMANDS);
}, 180_000);
