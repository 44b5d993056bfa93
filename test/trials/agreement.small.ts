// A small version of the trial `agreement`.

import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { compared } from './agreement.js';
import { newSeed } from './load/random.js';

it('The file, the Worker and Postgres answer random questions with the same bytes', async () => {
  const folder = await openTemporaryFolder();
  const { found, fault } = await compared(newSeed(), 200, folder.path).finally(folder.remove);
  expect(found, fault).toBe('0 differences');
}, 240_000);
