// The faults of processes over Postgres: of the processes, of Postgres, of the lines between, of
// clocks, and the settings of a server that somebody else runs.

import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { LineState } from '../../support/line.js';
import {
  openPgBouncer,
  openPostgres,
  openPostgresOnSmallDisk,
  openPostgresPair,
  type PostgresServer,
  pgBouncerIsMissing,
} from '../../support/postgres.js';
import { privateMounts } from '../../support/private-mounts.js';
import { openTemporaryFolder } from '../../support/temporary-folder.js';
import { fakedTime, fakeTimeLibrary } from './fake-time.js';
import type { Amount, Fault, Faulted } from './node-faults.js';
import { type PostgresOptions, PostgresWorld } from './postgres-world.js';

/** Longer than the 5 s within which a request is answered. */
const LONG_MS = 8_000;
const SHORT_MS = 2_500;
/** A frozen process, longer than any time-out of Postgres or of a pool. */
const FROZEN_MS = 20_000;
const AWAY_MS = 12_000;
const DAY_JUMPS = [3_600, -3_600, 8, -8];
const DISK_BYTES = 120_000_000;
/** At least, in each round. */
const FULL_DISK_REFUSALS = 10;

/** Makes the fault once, at a process. `round` counts from 0. */
type Happening = (world: PostgresWorld, place: number, round: number) => Promise<void>;
type Open = () => Promise<Partial<PostgresOptions> & Opened>;
interface Opened {
  readonly postgres: PostgresServer;
  readonly closers?: (() => Promise<unknown>)[];
}

/** Each fault on two processes and on three. */
export const POSTGRES_FAULTS: readonly Fault[] = [2, 3].flatMap((processes) => [
  fault(processes, 'none', async () => {}),
  fault(processes, 'kill -9', async (world, place) => {
    await world.end(place, 'SIGKILL');
    await world.start(place);
  }),
  fault(processes, 'stops and starts', async (world, place) => {
    await world.end(place, 'SIGTERM');
    await world.start(place);
  }),
  fault(processes, 'SIGSTOP and SIGCONT', async (world, place, round) => {
    world.at(place).service?.child.kill('SIGSTOP');
    await delay(round === 0 ? FROZEN_MS : LONG_MS);
    world.at(place).service?.child.kill('SIGCONT');
  }),
  fault(processes, 'Postgres held', (world, place, round) =>
    line(world, place, 'held', round % 2 === 0 ? LONG_MS : SHORT_MS),
  ),
  fault(processes, 'Postgres cut off', (world, place, round) =>
    line(world, place, 'cut', round % 2 === 0 ? LONG_MS : SHORT_MS),
  ),
  fault(processes, 'statements delivered late', (world, place, round) =>
    line(world, place, 'late', round % 2 === 0 ? LONG_MS : SHORT_MS),
  ),
  fault(processes, 'statements of a killed process delivered late', async (world, place) => {
    world.at(place).line.set('late');
    await delay(SHORT_MS / 10);
    await world.end(place, 'SIGKILL');
    await delay(SHORT_MS);
    world.at(place).line.set('open');
    await world.start(place);
  }),
  fault(processes, 'Postgres restarted', (world, _, round) =>
    world.postgres.restart(round === 0 ? AWAY_MS : 0),
  ),
  fault(
    processes,
    'connections exhausted',
    (world, _, round) => exhaust(world, round % 2 === 0 ? LONG_MS : SHORT_MS),
    async () => ({
      postgres: await openPostgres(['max_connections=60']),
    }),
  ),
  fault(
    processes,
    'serializable by default',
    async () => {},
    async () => ({
      postgres: await openPostgres(['default_transaction_isolation=serializable']),
    }),
  ),
  fault(
    processes,
    'a statement timeout of 2 s',
    async () => {},
    async () => ({
      postgres: await openPostgres(['statement_timeout=2s']),
    }),
  ),
  {
    ...fault(processes, 'PgBouncer in transaction mode', pooled, openPooled),
    missing: pgBouncerIsMissing,
  },
  {
    name: named(processes, 'Postgres failed over to its standby'),
    run: (_, amount, script) => failedOver(processes, amount, script),
  },
  {
    name: named(processes, 'the disk of Postgres full'),
    missing: () => (privateMounts() === undefined ? 'this user may not mount' : undefined),
    run: (_, amount, script) => diskFull(processes, amount, script),
  },
  {
    name: named(processes, 'clocks that jump'),
    missing: () =>
      fakeTimeLibrary() === undefined
        ? 'libfaketime is not installed (apt-get install libfaketime)'
        : undefined,
    run: (folder, amount, script) => jumpingClocks(processes, folder, amount, script),
  },
]);

function named(processes: number, name: string): string {
  return `${name}, ${processes} processes`;
}

function fault(
  processes: number,
  name: string,
  happen: Happening,
  open: Open = async () => ({ postgres: await openPostgres() }),
): Fault {
  return {
    name: named(processes, name),
    async run(_, amount, script) {
      const { closers = [], ...opened } = await open();
      const world = await openWorld({ ...opened, processes, script, clients: amount.clients });
      world.closers.push(...closers);
      return rounds(world, amount, happen);
    },
  };
}

async function openWorld(options: PostgresOptions): Promise<PostgresWorld> {
  try {
    return await PostgresWorld.open(options);
  } catch (error) {
    await options.postgres.close();
    throw error;
  }
}

async function rounds(world: PostgresWorld, amount: Amount, happen: Happening): Promise<Faulted> {
  world.load.start();
  for (let round = 0; round < amount.rounds; round++) {
    await world.load.more(amount.operations / amount.rounds);
    await happen(world, round % world.places.length, round);
    await world.calm();
  }
  return { world, came: `${amount.rounds} times` };
}

async function line(world: PostgresWorld, place: number, state: LineState, milliseconds: number) {
  const { line: one } = world.at(place);
  one.set(state);
  await delay(milliseconds);
  one.set('open');
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

async function openPooled() {
  const postgres = await openPostgres();
  // PgBouncer's user cannot enter the folder of the trials.
  const folder = await openTemporaryFolder();
  const { port, close } = await openPgBouncer(folder.path, postgres.port);
  return { postgres, port, closers: [folder.remove, close] };
}

/** Behind the pooler, Postgres ends every connection. */
async function pooled(world: PostgresWorld): Promise<void> {
  await world.sql(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  );
}

/** The old primary is gone before the standby takes over: a tool that manages fail-overs fences it. */
async function failedOver(processes: number, amount: Amount, script?: string): Promise<Faulted> {
  const { primary, standby, promote } = await openPostgresPair();
  const { clients } = amount;
  const world = await openWorld({ postgres: primary, processes, script, clients });
  world.load.start();
  await world.load.more(amount.operations / 2);
  await primary.close();
  await promote();
  world.postgres = standby;
  for (const { line: one } of world.places) {
    one.leadTo(standby.port);
    one.set('cut');
    one.set('open');
  }
  await world.calm();
  await world.load.more(amount.operations / 2);
  return { world, came: 'once' };
}

async function diskFull(processes: number, amount: Amount, script?: string): Promise<Faulted> {
  const { server: postgres, disk } = await openPostgresOnSmallDisk(
    DISK_BYTES,
    privateMounts() ?? [],
  );
  const world = await openWorld({ postgres, processes, script, clients: amount.clients });
  const ballast = join(disk, 'ballast');
  let refused = 0;
  const { world: same } = await rounds(world, amount, async () => {
    const { bavail, bsize } = statfsSync(disk);
    try {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    } catch {
      // Postgres took some of the room meanwhile: the disk is full all the same.
    }
    const unclear = () => world.recorder.operations.filter(({ code }) => code === 0).length;
    const before = unclear();
    const end = performance.now() + LONG_MS;
    // Rows that are there take small changes; new pages have no room.
    while (unclear() - before < FULL_DISK_REFUSALS && performance.now() < end) await delay(5);
    refused += unclear() - before;
    rmSync(ballast);
  });
  return { world: same, came: `${amount.rounds} times, ${refused} writes refused` };
}

/** The time of day jumps at one process after the other; the monotonic clock goes on. */
async function jumpingClocks(
  processes: number,
  folder: string,
  amount: Amount,
  script?: string,
): Promise<Faulted> {
  mkdirSync(folder, { recursive: true });
  const clock = (place: number) => join(folder, `clock-${place}`);
  const set = (place: number, seconds: number) =>
    writeFileSync(clock(place), `${seconds < 0 ? '' : '+'}${seconds}\n`);
  for (let place = 0; place < processes; place++) set(place, 0);
  const environment = (place: number) => ({
    ...fakedTime(fakeTimeLibrary() ?? '', clock(place)),
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
  const { clients } = amount;
  const postgres = await openPostgres();
  const world = await openWorld({ postgres, processes, script, clients, environment });
  return rounds(world, amount, async (_, place, round) => {
    set(place, DAY_JUMPS[Math.floor(round / processes) % DAY_JUMPS.length] ?? 0);
    await delay(1_000);
  });
}
