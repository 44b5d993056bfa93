// The trial `crash`: kills the server with `kill -9` under load, while it stops and while
// it starts. The client's ledger says which records must be there afterwards.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { Differences, Ledger } from './load/ledger.js';
import type { Random } from './load/random.js';
import { newSeed, randomFrom } from './load/random.js';
import { startLoad } from './load/workload.js';
import { clientOf } from './service/requests.js';
import type { ServiceOptions } from './service/service-process.js';
import { spawnService, startService } from './service/service-process.js';
import { isSame, readCopyOf, readService } from './service/stored.js';
import type { Finding, Trial, TrialOptions } from './trial.js';

const CYCLES = 200;
const QUICK_CYCLES = 30;
const WORKERS = 16;
const LOAD_MIN_MS = 30;
const LOAD_MAX_MS = 400;
const POLL_MS = 10;
const STOP_MAX_MS = 40;
const START_MAX_MS = 300;

export const crash: Trial = async (options) =>
  crashCycles({ ...options, cycles: options.quick ? QUICK_CYCLES : CYCLES });

export async function crashCycles(
  options: Omit<TrialOptions, 'quick'> & { cycles: number; seed?: number },
): Promise<Finding[]> {
  const { folder, say, cycles, seed = newSeed() } = options;
  const random = randomFrom(seed);
  const ledger = new Ledger();
  const differences = new Differences();
  const identity = await startIdentityProvider();
  const file = join(folder, 'service.db');
  const service = { file, identityOrigin: identity.origin };
  let [kills, unknown, disagreements, refusedStarts] = [0, 0, 0, 0];
  try {
    for (let cycle = 1; cycle <= cycles; cycle++) {
      kills += await loadAndKill({ service, ledger, random });
      const stored = await readCopyOf(file, folder);
      // Compared before settling: a change without an answer may be stored or not.
      differences.add(ledger.compare(stored.rows, stored.events));
      const again = await startService(service).catch((error) => say(String(error)));
      if (again === undefined) {
        refusedStarts++;
        break;
      }
      const client = clientOf(again.origin);
      const seen = await readService(client);
      client.close();
      await again.end('SIGKILL');
      kills++;
      if (!isSame(stored, seen)) disagreements++;
      unknown += ledger.outcomes.unknown;
      ledger.settle(stored.rows);
      if (cycle % 10 === 0) say(`${cycle} of ${cycles} cycles, ${differences}`);
    }
  } finally {
    await identity.process.stop();
  }
  const { acknowledged, refused } = ledger.outcomes;
  const bad = [differences.count, ledger.reusedIds, disagreements, refusedStarts];
  return [
    {
      fault: 'kill -9 under load, while stopping, while starting',
      tried: `${kills} kills in ${cycles} cycles (seed ${seed}), ${acknowledged + refused} changes, ${unknown} of them unanswered when it died, ${acknowledged} stored`,
      found: `${differences}, ${ledger.reusedIds} ids given twice, ${disagreements} times the service and the file disagreed, ${refusedStarts} starts refused`,
      holds: bad.every((count) => count === 0) && acknowledged > 0,
    },
  ];
}

/** Starts the server, loads it and kills it. Resolves with the number of kills. */
async function loadAndKill(life: { service: ServiceOptions; ledger: Ledger; random: Random }) {
  const { service, ledger, random } = life;
  const server = await startService(service);
  const client = clientOf(server.origin);
  const load = startLoad({ client, ledger, random, workers: WORKERS });
  await delay(random.between(LOAD_MIN_MS, LOAD_MAX_MS));
  // On a busy machine no change may be stored by then, and the kill would prove nothing.
  while (ledger.outcomes.acknowledged === 0 && server.isRunning()) await delay(POLL_MS);
  const dice = random.fraction();
  if (dice < 0.25) {
    // The server drains and writes its log back into the file.
    server.end('SIGTERM').catch(() => {});
    await delay(random.between(0, STOP_MAX_MS));
  }
  await server.end('SIGKILL');
  await load.ended();
  client.close();
  if (dice < 0.85) return 1;
  // This start recovers the file that the first kill left behind.
  const starting = spawnService(service);
  await delay(random.between(0, START_MAX_MS));
  await starting.end('SIGKILL');
  return 2;
}
