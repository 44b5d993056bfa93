// The trial `hostile`: attacks on a server with a heap of 512 MB, while another account reads every
// 20 ms and writes every 100 ms.

import { join } from 'node:path';
import { filledDatabase } from './hostile/accounts.js';
import { ATTACKS } from './hostile/attacks.js';
import { underAttack } from './hostile/run.js';
import type { Finding, Trial } from './trial.js';

const ORDERS = 200_000;
const MILLISECONDS = 30_000;
const QUICK_MILLISECONDS = 5_000;

export const hostile: Trial = async ({ quick, only, folder, say }) => {
  const filled = await filledDatabase(folder, ORDERS);
  const file = join(folder, 'service.db');
  const milliseconds = quick ? QUICK_MILLISECONDS : MILLISECONDS;
  const findings: Finding[] = [];
  for (const [name, clients] of Object.entries(ATTACKS)) {
    if (!name.includes(only)) continue;
    say(name);
    const run = { name, filled, file, attacks: [clients], milliseconds, judgesTimes: true };
    findings.push(await underAttack(run));
  }
  return findings;
};
