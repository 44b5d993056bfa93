// The trial `replication`: the real Litestream beside the service under load. Both are killed,
// the data folder is deleted, and the replica restored: what is missing was acknowledged in the
// last seconds, and the restored file is whole.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../../scripts/bench/statistics.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { litestreamHome, litestreamProgram } from '../support/litestream.js';
import { newSeed, randomFrom } from './load/random.js';
import { lifeOf } from './replication/disaster.js';
import { FAULTS, type Fault, PLAIN } from './replication/faults.js';
import type { Finding, Trial } from './trial.js';

const LIVES = 40;
const QUICK_LIVES = FAULTS.length;
/** The time that may be lost: a second to the next sync, one to send it, and more on a busy machine. */
const LOST_MAX_MS = 3_000;
/** A life lasts longer than the time that it may lose; otherwise no loss would be too much. */
const LEAD_MS = LOST_MAX_MS + 1_000;
const FIRST_WRITES = 20;

type Outcome = Awaited<ReturnType<Awaited<ReturnType<typeof lifeOf>>['lose']>> & {
  readonly fault: string;
};

export const replication: Trial = async ({ quick, folder, say }) => {
  const program = litestreamProgram();
  if (program === undefined) {
    const found = 'Litestream is not on this machine: set LITESTREAM to its path';
    return [{ fault: 'the machine is lost', tried: 'not at all', found, holds: undefined }];
  }
  const seed = newSeed();
  const random = randomFrom(seed);
  const identity = await openIdentityStub();
  const lives: Outcome[] = [];
  const notMade = new Set<Fault>();
  try {
    for (let number = 0; number < (quick ? QUICK_LIVES : LIVES); number++) {
      const fault = FAULTS[number % FAULTS.length];
      if (fault === undefined) break;
      const own = join(folder, `life-${number}`);
      mkdirSync(own);
      const around = await fault.begin(own);
      if (around === undefined) {
        notMade.add(fault);
        continue;
      }
      const { replica, more, noteCharacters, happen } = around;
      try {
        const home = litestreamHome({ program, folder: own, replica, more });
        const life = await lifeOf({ home, identityUrl: identity.url, noteCharacters });
        // On a busy machine a life of a second may have no write.
        await life.acknowledged(FIRST_WRITES);
        await delay(LEAD_MS + random.between(200, 1_200));
        await happen(life, random);
        await delay(random.between(100, 1_500));
        const lost = await life.lose();
        lives.push({ ...lost, fault: fault.name });
        say(`${fault.name}: ${lost.acknowledged} acknowledged, ${lost.missing} missing`);
      } finally {
        await around.end();
      }
      rmSync(own, { recursive: true, force: true });
    }
  } finally {
    await identity.close();
  }
  const missed = [...notMade].map(({ name, needs = 'this machine cannot make it' }) => ({
    fault: name,
    tried: 'not at all',
    found: needs,
    holds: undefined,
  }));
  return [findingOf(lives, seed), ...missed];
};

function findingOf(lives: readonly Outcome[], seed: number): Finding {
  const sumOf = (of: (life: Outcome) => number) => lives.reduce((sum, life) => sum + of(life), 0);
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  // While Litestream or the replica is away, the replica is behind by as much, as the service says.
  const plain = lives.filter(({ fault }) => fault === PLAIN).map(({ lostMs }) => lostMs);
  const all = lives.map(({ lostMs }) => lostMs);
  const broken = lives.filter(({ isWhole }) => !isWhole).length;
  return {
    fault: 'the machine is lost under load, after faults of Litestream, replica and service',
    tried: `${lives.length} losses (seed ${seed}), ${sumOf((life) => life.acknowledged)} acknowledged`,
    found: `${sumOf((life) => life.missing)} missing, acknowledged in the last ${seconds(median(all))} (median), ${seconds(Math.max(...plain))} at most without another fault, ${seconds(Math.max(...all))} at most with one; ${broken} restored files damaged`,
    holds: Math.max(...plain) <= LOST_MAX_MS && broken === 0,
  };
}
