// The trial `replication`: the real Litestream next to the service under load. Both are killed,
// the data folder is deleted, and the replica restored: what is missing was acknowledged in the
// last seconds, and the restored file is whole.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../../scripts/bench/statistics.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { litestreamHome, litestreamProgram } from '../support/litestream.js';
import { newSeed, randomFrom } from './load/random.js';
import { type Disaster, lifeOf } from './replication/disaster.js';
import type { Finding, Trial } from './trial.js';

const LIVES = 40;
/** The time that may be lost: a second to the next sync, one to send it, and more on a busy machine. */
const LOST_MAX_MS = 3_000;
/** A life lasts longer than the time that it may lose; otherwise no loss would be too much. */
const LEAD_MS = LOST_MAX_MS + 1_000;
const FIRST_WRITES = 20;
const AWAY_MS = 1_500;

/** What happens to Litestream, its replica or the service under load, before the disaster. */
interface Fault {
  readonly name: string;
  readonly happen: (life: Disaster) => Promise<void>;
  /** More lines of the database's entry in Litestream's file. */
  readonly more?: readonly string[];
  /** Of each record that is written. */
  readonly noteCharacters?: number;
}

const PLAIN: Fault = { name: 'nothing else', happen: async () => {} };
const FAULTS: readonly Fault[] = [
  PLAIN,
  { name: 'Litestream killed and restarted', happen: (life) => life.restartLitestream(AWAY_MS) },
  { name: 'Litestream stopped for a while', happen: (life) => life.holdLitestream(AWAY_MS) },
  { name: 'the service killed and restarted', happen: (life) => life.restartService() },
  { name: 'the replica cannot be written for a while', happen: withoutReplica },
  {
    name: 'a log of 32 MB is written back, again and again',
    more: ['min-checkpoint-page-count: 8000'],
    noteCharacters: 20_000,
    happen: (life) => life.sawLogRestart(),
  },
];

/** A file where the replica's folder was: every write to it fails. */
async function withoutReplica(life: Disaster): Promise<void> {
  const place = join(life.folder, 'replica');
  renameSync(place, `${place}-away`);
  writeFileSync(place, '');
  await delay(AWAY_MS);
  rmSync(place);
  renameSync(`${place}-away`, place);
}

type Outcome = Awaited<ReturnType<Disaster['lose']>> & { readonly fault: Fault };

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
  try {
    for (let number = 0; number < (quick ? FAULTS.length : LIVES); number++) {
      const fault = FAULTS[number % FAULTS.length] ?? PLAIN;
      const { more, noteCharacters } = fault;
      const own = join(folder, `life-${number}`);
      mkdirSync(own);
      const home = litestreamHome(program, own, more);
      const life = await lifeOf(home, identity.url, noteCharacters);
      // On a busy machine a life of a second may have no write.
      await life.acknowledged(FIRST_WRITES);
      await delay(LEAD_MS + random.between(200, 1_200));
      await fault.happen(life);
      await delay(random.between(100, 1_500));
      const lost = await life.lose();
      lives.push({ ...lost, fault });
      say(`${fault.name}: ${lost.acknowledged} acknowledged, ${lost.missing} missing`);
      rmSync(own, { recursive: true, force: true });
    }
  } finally {
    await identity.close();
  }
  return [findingOf(lives, seed)];
};

function findingOf(lives: readonly Outcome[], seed: number): Finding {
  const sumOf = (of: (life: Outcome) => number) => lives.reduce((sum, life) => sum + of(life), 0);
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  // While Litestream or the replica is away, the replica falls behind by as much, and the service reports it.
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
