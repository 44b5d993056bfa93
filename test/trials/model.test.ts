// A small version of the trial `model`, for `npm test`: model.small.ts has the built server.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { inProcess } from './model/hosts.js';
import { runsOf } from './model/run.js';

const COMMANDS = 400;

it('Every answer, view and record of the handler is as the model says', async () => {
  const folder = await openTemporaryFolder();
  const totals = await runsOf({ host: inProcess, folder: folder.path, commands: COMMANDS }).finally(
    folder.remove,
  );
  expect(totals.failure).toBeUndefined();
  expect(totals.commands).toBeGreaterThanOrEqual(COMMANDS);
});
