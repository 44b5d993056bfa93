// The trial `replication`: the real Litestream beside the service under load. Both are killed,
// the data folder is deleted, and the replica restored: what was acknowledged must be there.

import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeDataSet } from '../../scripts/bench/data-set.js';
import { litestreamProgram } from '../../scripts/bench/litestream.js';
import { emptyDatabase } from '../../scripts/bench/preparation.js';
import { median } from '../../scripts/bench/statistics.js';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { litestreamHome } from '../support/litestream.js';
import { newSeed, randomFrom } from './load/random.js';
import { lifeOf, SEARCHED } from './replication/disaster.js';
import { FAULTS, type Fault, PLAIN } from './replication/faults.js';
import { longAbsence } from './replication/long-absence.js';
import { controlServer, NOT_WAITING } from './service/controls.js';
import type { Finding, Trial } from './trial.js';

const DISASTERS = 55;
const QUICK_DISASTERS = FAULTS.length;
/** At most: the short version ends at the first loss, which chance may delay. */
const QUICK_CONTROL_DISASTERS = 16;
const CONTROL_DISASTERS = 10;
/** The time that `async` may lose: a second to the next sync, one to send it, and more on a busy machine. */
const ASYNC_MAX_MS = 3_000;
/** A life in `async` lasts longer than the time that it may lose; otherwise no loss would be too much. */
const ASYNC_LEAD_MS = ASYNC_MAX_MS + 1_000;
const LARGE_RECORDS = 100_000;
const FIRST_WRITES = 20;

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
  const large = await makeDataSet(
    { folder, emptyDatabase: await emptyDatabase(folder, identity) },
    'large',
    [{ prefix: SEARCHED, owners: 1, records: LARGE_RECORDS }],
  );
  const notMade = new Set<Fault>();
  const oneLife = async (mode: 'sync' | 'async', own: string, fault: Fault, script?: string) => {
    const around = await fault.begin(own);
    if (around === undefined) {
      notMade.add(fault);
      return undefined;
    }
    const { replica, more, noteCharacters, happen } = around;
    try {
      const home = litestreamHome({ program, folder: own, replica, more });
      if (around.isLarge) copyFileSync(large.file, home.file);
      const identityOrigin = identity.origin;
      const life = await lifeOf({ home, mode, identityOrigin, script, noteCharacters });
      // On a busy machine a life of a second may have no write.
      await life.acknowledged(FIRST_WRITES);
      if (mode === 'async') await delay(ASYNC_LEAD_MS);
      await delay(random.between(200, 1_200));
      await happen(life, random);
      await delay(random.between(100, 1_500));
      return { ...(await life.lose()), fault: fault.name };
    } finally {
      await around.end();
    }
  };
  const run = async (
    mode: 'sync' | 'async',
    count: number,
    faults: readonly Fault[],
    script?: string,
    isEnough: (lost: Outcome) => boolean = () => false,
  ) => {
    const lives: Outcome[] = [];
    for (let number = 0; number < count; number++) {
      const fault = faults[number % faults.length];
      if (fault === undefined) break;
      const own = join(folder, `life-${mode}-${number}`);
      mkdirSync(own);
      const lost = await oneLife(mode, own, fault, script);
      rmSync(own, { recursive: true, force: true });
      if (lost === undefined) continue;
      lives.push(lost);
      say(
        `${mode} ${number + 1} of ${count}, ${fault.name}: ${lost.acknowledged} acknowledged, ${lost.missing} missing`,
      );
      if (isEnough(lost)) break;
    }
    return lives;
  };
  try {
    const sync = await run('sync', times, FAULTS);
    const careless = controlServer(NOT_WAITING, join(folder, 'careless'));
    const control = await run(
      'sync',
      quick ? QUICK_CONTROL_DISASTERS : CONTROL_DISASTERS,
      // A build that does not wait is caught only by a disaster under plain load.
      FAULTS.filter(({ name }) => name === PLAIN),
      careless,
      ({ missing }) => quick && missing > 0,
    );
    const asynchronous = await run('async', times, FAULTS);
    const findings = [
      syncFinding(sync, seed),
      controlFinding(control),
      asyncFinding(asynchronous, seed),
      ...[...notMade].map(({ name, needs = 'this machine cannot make it' }) => ({
        fault: name,
        tried: 'not at all',
        found: needs,
        holds: undefined,
      })),
    ];
    if (quick) return findings;
    const options = { program, folder: join(folder, 'absence'), identityOrigin: identity.origin };
    return [...findings, await longAbsence(options, say)];
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
  const plain = lives.filter(({ fault }) => fault === PLAIN);
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
