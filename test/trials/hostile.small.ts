// A small version of the trial `hostile`: every attack for a second. Only the trial judges times.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { filledDatabase } from './hostile/accounts.js';
import { ATTACKS } from './hostile/attacks.js';
import { underAttack } from './hostile/run.js';

const ORDERS = 2_000;

it('Hostile clients fail no request of another account', async () => {
  const folder = await openTemporaryFolder();
  try {
    const { holds, found } = await underAttack({
      name: 'every attack',
      filled: await filledDatabase(folder.path, ORDERS),
      file: join(folder.path, 'service.db'),
      attacks: Object.values(ATTACKS),
      milliseconds: 1_000,
      judgesTimes: false,
    });
    expect(holds, found).toBe(true);
  } finally {
    await folder.remove();
  }
}, 180_000);
