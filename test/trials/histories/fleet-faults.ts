// The faults of a fleet: of its processes, of its Postgres, of the ways between them, of clocks.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LineState } from '../../support/line.js';
import { openPostgres, openPostgresPair, type PostgresServer } from '../../support/postgres.js';
import { fakedTime, fakeTimeLibrary } from '../year/clock.js';
import { FleetWorld, PROCESSES } from './fleet-world.js';
import type { Amount, Fault, Faulted } from './node-faults.js';

/** Longer than a process may be silent before the others take its shards. */
const LONG_MS = 5_000;
/** Shorter than that, and longer than a process may answer reads without a sign of life. */
const SHORT_MS = 2_800;
/** By so many seconds the time of day jumps. */
const DAY_JUMPS = [3_600, -3_600, 8, -8];
/** The same of both clocks, as where a machine slept: a monotonic clock never goes back. */
const BOTH_JUMPS = [3_600, 3_608];

/** Makes the fault once, at a process. `round` counts from 0. */
type Happening = (world: FleetWorld, place: number, round: number) => Promise<void>;

export const FLEET_FAULTS: readonly Fault[] = [
  fault('none, in a fleet', async () => {}),
  fault('kill -9, in a fleet', async (world, place) => {
    await world.end(place, 'SIGKILL');
    await world.start(place);
  }),
  fault('stops and starts, in a fleet', async (world, place) => {
    await world.end(place, 'SIGTERM');
    await world.start(place);
  }),
  fault('SIGSTOP and SIGCONT, in a fleet', async (world, place, round) => {
    const { service } = placeOf(world, place);
    service?.child.kill('SIGSTOP');
    await delay(round % 2 === 0 ? LONG_MS : SHORT_MS);
    service?.child.kill('SIGCONT');
  }),
  fault('no way to Postgres', (world, place, round) =>
    line(world, place, 'database', round % 2 === 0 ? 'held' : 'cut', LONG_MS),
  ),
  fault('a slow way to Postgres', (world, place) =>
    line(world, place, 'database', 'held', SHORT_MS),
  ),
  fault('no way between processes', (world, place, round) =>
    line(world, place, 'inside', round % 2 === 0 ? 'held' : 'cut', LONG_MS),
  ),
  fault('Postgres restarted', (world) => world.postgres.restart()),
  {
    name: 'Postgres failed over to its standby',
    run: (folder, amount, script) => failedOver(folder, amount, script),
  },
  {
    name: 'clocks that jump',
    missing: () =>
      fakeTimeLibrary() === undefined
        ? 'libfaketime is not installed (apt-get install libfaketime)'
        : undefined,
    run: jumpingClocks,
  },
];

function fault(name: string, happen: Happening): Fault {
  return {
    name,
    run: async (_, amount, script) => {
      const postgres = await openPostgres();
      const world = await opened(postgres, script, amount);
      return rounds(world, amount, happen);
    },
  };
}

async function opened(
  postgres: PostgresServer,
  script: string | undefined,
  { clients }: Amount,
): Promise<FleetWorld> {
  try {
    return await FleetWorld.open({ postgres, script, clients });
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

async function rounds(world: FleetWorld, amount: Amount, happen: Happening): Promise<Faulted> {
  world.load.start();
  for (let round = 0; round < amount.rounds; round++) {
    await world.load.more(amount.operations / amount.rounds);
    await happen(world, round % PROCESSES, round);
    await world.calm();
  }
  return { world, came: `${amount.rounds} times` };
}

async function line(
  world: FleetWorld,
  place: number,
  way: 'database' | 'inside',
  state: LineState,
  milliseconds: number,
): Promise<void> {
  const { [way]: one } = placeOf(world, place);
  one.set(state);
  await delay(milliseconds);
  one.set('open');
}

/** The standby takes over while the old primary still answers the processes that have not noticed. */
async function failedOver(_: string, amount: Amount, script?: string): Promise<Faulted> {
  const { primary, standby, promote } = await openPostgresPair();
  const world = await FleetWorld.open({ postgres: primary, script, clients: amount.clients });
  world.load.start();
  await world.load.more(amount.operations / 2);
  await promote();
  world.postgres = standby;
  for (const { database } of world.places) {
    database.leadTo(standby.port);
    database.set('cut');
    database.set('open');
    // Meanwhile the others are still at the old one.
    await delay(500);
  }
  await primary.close();
  await world.calm();
  await world.load.more(amount.operations / 2);
  return { world, came: 'once' };
}

/** In the first place both clocks jump, in the others the time of day alone. */
async function jumpingClocks(folder: string, amount: Amount, script?: string): Promise<Faulted> {
  mkdirSync(folder, { recursive: true });
  const clock = (place: number) => join(folder, `clock-${place}`);
  const set = (place: number, seconds: number) =>
    writeFileSync(clock(place), `${seconds < 0 ? '' : '+'}${seconds}\n`);
  for (let place = 0; place < PROCESSES; place++) set(place, 0);
  const postgres = await openPostgres();
  const environment = (place: number) => ({
    ...fakedTime(fakeTimeLibrary() ?? '', clock(place)),
    ...(place > 0 && { FAKETIME_DONT_FAKE_MONOTONIC: '1' }),
  });
  const world = await FleetWorld.open({ postgres, script, clients: amount.clients, environment });
  return rounds(world, amount, async (_, place, round) => {
    const jumps = place === 0 ? BOTH_JUMPS : DAY_JUMPS;
    set(place, jumps[Math.floor(round / PROCESSES) % jumps.length] ?? 0);
    await delay(1_000);
  });
}

function placeOf(world: FleetWorld, place: number) {
  const here = world.places[place];
  if (here === undefined) throw new Error(`the fleet has no place ${place}`);
  return here;
}
