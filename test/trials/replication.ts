// The trial `replication`: the real Litestream beside the service under load. Both are killed,
// the data folder is deleted, and the replica restored: what was acknowledged must be there.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { litestreamProgram } from '../../scripts/bench/litestream.js';
import { median } from '../../scripts/bench/statistics.js';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { litestreamHome } from '../support/litestream.js';
import { newSeed, type Random, randomFrom } from './load/random.js';
import { type Disaster, lifeOf } from './replication/disaster.js';
import { controlServer, NOT_WAITING } from './service/controls.js';
import type { Finding, Trial } from './trial.js';

const DISASTERS = 50;
const QUICK_DISASTERS = 10;
const QUICK_CONTROL_DISASTERS = 4;
const CONTROL_DISASTERS = 10;
/** The time that `async` may lose: a second to the next sync, one to send it, and more on a busy machine. */
const ASYNC_MAX_MS = 3_000;
/** A life in `async` lasts longer than the time that it may lose; otherwise no loss would be too much. */
const ASYNC_LEAD_MS = ASYNC_MAX_MS + 1_000;
const LITESTREAM_AWAY_MS = 800;
const STOPPED_MS = 1_500;

/** What happens to Litestream or the service under load, before the disaster. */
const FAULTS: readonly [string, (life: Disaster, random: Random) => Promise<void>][] = [
  ['nothing else', async () => {}],
  ['Litestream killed and restarted', async (life) => life.restartLitestream(LITESTREAM_AWAY_MS)],
  ['Litestream stopped for a while', async (life) => life.holdLitestream(STOPPED_MS)],
  ['the service killed and restarted', async (life) => life.restartService()],
  ['the replica cannot be written for a while', async (life) => withoutReplica(life)],
];

export const replication: Trial = async ({ quick, folder, say }) => {
  const program = litestreamProgram();
  if (program === undefined) {
    const found = 'Litestream is not on this machine: set LITESTREAM to its path';
    return [{ fault: 'the machine is lost', tried: 'not at all', found, holds: undefined }];
  }
  const seed = newSeed();
  const random = randomFrom(seed);
  const identity = await startIdentityProvider();
  const times = quick ? QUICK_DISASTERS : DISASTERS;
  const run = async (mode: 'sync' | 'async', count: number, script?: string) => {
    const lives: Outcome[] = [];
    for (let number = 0; number < count; number++) {
      const [fault, happen] = FAULTS[number % FAULTS.length] ?? FAULTS[0] ?? ['', async () => {}];
      const own = join(folder, `life-${mode}-${number}`);
      mkdirSync(own);
      const home = litestreamHome({ program, folder: own });
      const life = await lifeOf({ home, mode, identityOrigin: identity.origin, script });
      if (mode === 'async') await delay(ASYNC_LEAD_MS);
      await delay(random.between(200, 1_200));
      // A build that does not wait is caught only by a disaster under plain load.
      if (script === undefined) await happen(life, random);
      await delay(random.between(100, 1_500));
      const lost = await life.lose();
      lives.push({ ...lost, fault });
      say(
        `${mode} ${number + 1} of ${count}, ${fault}: ${lost.acknowledged} acknowledged, ${lost.missing} missing`,
      );
      rmSync(own, { recursive: true, force: true });
    }
    return lives;
  };
  try {
    const sync = await run('sync', times);
    const careless = controlServer(NOT_WAITING, join(folder, 'careless'));
    const control = await run(
      'sync',
      quick ? QUICK_CONTROL_DISASTERS : CONTROL_DISASTERS,
      careless,
    );
    const asynchronous = await run('async', times);
    return [syncFinding(sync, seed), controlFinding(control), asyncFinding(asynchronous, seed)];
  } finally {
    await identity.process.stop();
  }
};

interface Outcome {
  readonly fault: string;
  readonly acknowledged: number;
  readonly refused: number;
  readonly missing: number;
  /** How long before the disaster the oldest missing record was acknowledged. */
  readonly lostMs: number;
  readonly isWhole: boolean;
}

const sumOf = (lives: readonly Outcome[], of: (life: Outcome) => number) =>
  lives.reduce((sum, life) => sum + of(life), 0);

function syncFinding(lives: readonly Outcome[], seed: number): Finding {
  const missing = sumOf(lives, (life) => life.missing);
  const broken = lives.filter(({ isWhole }) => !isWhole).length;
  return {
    fault:
      'the machine is lost under load, REPLICATION=sync, with faults of Litestream, replica and service before it',
    tried: `${lives.length} disasters (seed ${seed}), ${sumOf(lives, (life) => life.acknowledged)} acknowledged, ${sumOf(lives, (life) => life.refused)} answered 503`,
    found: `${missing} acknowledged missing after the restore, ${broken} restored files damaged`,
    holds: missing === 0 && broken === 0 && lives.every(({ acknowledged }) => acknowledged > 0),
  };
}

function controlFinding(lives: readonly Outcome[]): Finding {
  const missing = sumOf(lives, (life) => life.missing);
  return {
    fault: 'the same with a build that does not wait for the replica, for control',
    tried: `${lives.length} disasters, ${sumOf(lives, (life) => life.acknowledged)} acknowledged`,
    found: `${missing} missing`,
    holds: missing > 0,
  };
}

function asyncFinding(lives: readonly Outcome[], seed: number): Finding {
  // While Litestream or the replica is away the replica is behind by as much, as it says.
  const plain = lives.filter(({ fault }) => fault === FAULTS[0]?.[0]);
  const worst = Math.max(...lives.map(({ lostMs }) => lostMs));
  const plainWorst = Math.max(...plain.map(({ lostMs }) => lostMs));
  const broken = lives.filter(({ isWhole }) => !isWhole).length;
  return {
    fault: 'the machine is lost under load, REPLICATION=async, with the same faults',
    tried: `${lives.length} disasters (seed ${seed}), ${sumOf(lives, (life) => life.acknowledged)} acknowledged`,
    found: `${sumOf(lives, (life) => life.missing)} missing, acknowledged in the last ${(median(lives.map(({ lostMs }) => lostMs)) / 1000).toFixed(1)} s (median), ${(plainWorst / 1000).toFixed(1)} s at most without another fault, ${(worst / 1000).toFixed(1)} s at most with one; ${broken} restored files damaged`,
    holds: plainWorst <= ASYNC_MAX_MS && broken === 0,
  };
}

/** A file where the replica's folder was: every write to it fails. */
async function withoutReplica(life: Disaster): Promise<void> {
  const place = join(life.folder, 'replica');
  renameSync(place, `${place}-away`);
  writeFileSync(place, '');
  await delay(STOPPED_MS);
  rmSync(place);
  renameSync(`${place}-away`, place);
}
