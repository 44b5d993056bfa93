// The faults of two processes over Postgres: of the processes, of Postgres, and of the lines between.

import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { LineState } from '../../support/line.js';
import {
  openPostgres,
  openPostgresOnSmallDisk,
  openPostgresPair,
  type PostgresServer,
} from '../../support/postgres.js';
import { privateMounts } from '../../support/private-mounts.js';
import { PostgresWorld } from './postgres-world.js';
import type { Amount, Fault, Faulted } from './world.js';

/** Longer than the 5 s within which a request is answered. */
const LONG_MS = 8_000;
const SHORT_MS = 2_500;
/** A frozen process, longer than any time-out of Postgres or of a pool. */
const FROZEN_MS = 20_000;
const AWAY_MS = 12_000;
const DISK_BYTES = 120_000_000;
/** At least, in each round. */
const FULL_DISK_REFUSALS = 10;

/** Injects the fault once, into a process. `round` counts from 0. */
type Happening = (world: PostgresWorld, place: number, round: number) => Promise<unknown>;

const lasts = (round: number) => (round % 2 === 0 ? LONG_MS : SHORT_MS);

function fault(name: string, happen: Happening, open = () => openPostgres()): Fault {
  return {
    name: `${name}, over Postgres`,
    run: async (_, amount) => rounds(await open(), amount, happen),
  };
}

function line(name: string, state: LineState): Fault {
  return fault(name, async (world, place, round) => {
    world.at(place).line.set(state);
    await delay(lasts(round));
    world.at(place).line.set('open');
  });
}

export const POSTGRES_FAULTS: readonly Fault[] = [
  fault('kill -9', (world, place) => world.restart(place, 'SIGKILL')),
  fault('SIGSTOP and SIGCONT', (world, place, round) =>
    world.freeze(place, round === 0 ? FROZEN_MS : LONG_MS),
  ),
  line('Postgres held', 'held'),
  line('Postgres cut off', 'cut'),
  line('statements delivered late', 'late'),
  fault('statements of a killed process delivered late', async (world, place) => {
    world.at(place).line.set('late');
    await delay(SHORT_MS / 10);
    await world.end(place, 'SIGKILL');
    await delay(SHORT_MS);
    world.at(place).line.set('open');
    await world.start(place);
  }),
  fault('Postgres restarted', ({ postgres }, _, round) =>
    postgres.restart(round === 0 ? AWAY_MS : 0),
  ),
  fault(
    'connections exhausted',
    (world, _, round) => exhaust(world, lasts(round)),
    () => openPostgres(['max_connections=60']),
  ),
  { name: 'Postgres failed over to its standby', run: (_, amount) => failedOver(amount) },
  {
    name: 'the disk of Postgres full',
    missing: () => (privateMounts() === undefined ? 'this user may not mount' : undefined),
    run: (_, amount) => diskFull(amount),
  },
];

async function rounds(postgres: PostgresServer, amount: Amount, happen: Happening) {
  const world = await PostgresWorld.open(postgres, amount.clients);
  return world.rounds(amount, async (round) => {
    await happen(world, round % world.places.length, round);
    await world.calm();
  });
}

/** Other programs take every connection while the processes have lost theirs. */
export async function exhaust(world: PostgresWorld, milliseconds: number): Promise<void> {
  const clients: pg.Client[] = [];
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const client = new pg.Client({ connectionString: world.postgres.urlOf('postgres') });
    client.on('error', () => {});
    try {
      await client.connect();
      clients.push(client);
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname <> 'postgres'",
      );
    } catch {
      // All are taken: a process may still hold one, or get one back before this program does.
      await delay(20);
    }
  }
  await Promise.all(clients.map((client) => client.end()));
}

async function failedOver(amount: Amount): Promise<Faulted> {
  const { primary, standby, promote } = await openPostgresPair();
  const world = await PostgresWorld.open(primary, amount.clients);
  await world.rounds({ ...amount, rounds: 2 }, async (round) => {
    if (round > 0) return;
    await world.failOver(standby, promote);
    await world.calm();
  });
  return { world, came: 'once' };
}

async function diskFull(amount: Amount): Promise<Faulted> {
  const { server, disk } = await openPostgresOnSmallDisk(DISK_BYTES, privateMounts() ?? []);
  const ballast = join(disk, 'ballast');
  let refused = 0;
  const { world, came } = await rounds(server, amount, async ({ recorder }) => {
    const { bavail, bsize } = statfsSync(disk);
    try {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    } catch {
      // Postgres took some of the space in the meantime: the disk is full all the same.
    }
    const unclear = () => recorder.operations.filter(({ code }) => code === 0).length;
    const before = unclear();
    const end = performance.now() + LONG_MS;
    // Rows that are there take small changes; new pages have no room.
    while (unclear() - before < FULL_DISK_REFUSALS && performance.now() < end) await delay(5);
    refused += unclear() - before;
    rmSync(ballast);
  });
  if (refused === 0) throw new Error('the full disk refused no write');
  return { world, came: `${came}, ${refused} writes refused` };
}
