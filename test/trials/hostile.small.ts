// A small version of the trial `hostile`: clients composed at random fail no request of another
// account, and what was acknowledged survives a kill. Only the trial judges times.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { filledDatabase } from './hostile/accounts.js';
import { holds, textOf, underHostileClients } from './hostile/run.js';
import { randomPhases } from './hostile.js';
import { newSeed, randomFrom } from './load/random.js';

const ORDERS = 2_000;
const MILLISECONDS = 8_000;

it('Hostile clients fail no request of another account', async () => {
  const folder = await openTemporaryFolder();
  const seed = newSeed();
  try {
    const filled = await filledDatabase(folder.path, ORDERS);
    const phases = randomPhases(randomFrom(seed), MILLISECONDS, () => {});
    const file = join(folder.path, 'service.db');
    const outcome = await underHostileClients({ filled, file, phases });
    expect(holds(outcome, false), `seed ${seed}: ${textOf(outcome)}`).toBe(true);
  } finally {
    await folder.remove();
  }
}, 180_000);
