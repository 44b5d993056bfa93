// The faults of processes over Postgres: of the processes, of Postgres, of the lines between, of
// clocks, and the settings of a server that other people run.

import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
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

/** Injects the fault once, into a process. `round` counts from 0. */
type Happening = (world: PostgresWorld, place: number, round: number) => Promise<void>;
type Open = () => Promise<Partial<PostgresOptions> & Opened>;
interface Opened {
  readonly postgres: PostgresServer;
  readonly closers?: (() => Promise<unknown>)[];
}

/** Each fault on two processes and on three. */
export const POSTGRES_FAULTS: readonly Fault[] = [2, 3].flatMap((processes) => {
  const on = (name: string) => `${name}, ${processes} processes`;
  const fault = (name: string, happen: Happening, open: Open = () => openedWith()): Fault => ({
    name: on(name),
    async run(_, amount, script) {
      const { closers = [], ...opened } = await open();
      const world = await openWorld({ ...opened, processes, script, clients: amount.clients });
      world.closers.push(...closers);
      return rounds(world, amount, happen);
    },
  });
  const isLong = (round: number) => (round % 2 === 0 ? LONG_MS : SHORT_MS);
  const line = (name: string, state: LineState) =>
    fault(name, async (world, place, round) => {
      world.at(place).line.set(state);
      await delay(isLong(round));
      world.at(place).line.set('open');
    });
  const ended = (name: string, signal: NodeJS.Signals) =>
    fault(name, async (world, place) => {
      await world.end(place, signal);
      await world.start(place);
    });
  const nothing = async () => {};
  return [
    fault('none', nothing),
    ended('kill -9', 'SIGKILL'),
    ended('stops and starts', 'SIGTERM'),
    fault('SIGSTOP and SIGCONT', async (world, place, round) => {
      world.at(place).service?.child.kill('SIGSTOP');
      await delay(round === 0 ? FROZEN_MS : LONG_MS);
      world.at(place).service?.child.kill('SIGCONT');
    }),
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
    fault('Postgres restarted', (world, _, round) =>
      world.postgres.restart(round === 0 ? AWAY_MS : 0),
    ),
    fault(
      'connections exhausted',
      (world, _, round) => exhaust(world, isLong(round)),
      () => openedWith('max_connections=60'),
    ),
    fault('serializable by default', nothing, () =>
      openedWith('default_transaction_isolation=serializable'),
    ),
    fault('a statement timeout of 2 s', nothing, () => openedWith('statement_timeout=2s')),
    {
      ...fault('PgBouncer in transaction mode', pooled, openPooled),
      missing: pgBouncerIsMissing,
    },
    {
      name: on('Postgres failed over to its standby'),
      run: (_, amount, script) => failedOver(processes, amount, script),
    },
    {
      name: on('the disk of Postgres full'),
      missing: () => (privateMounts() === undefined ? 'this user may not mount' : undefined),
      run: (_, amount, script) => diskFull(processes, amount, script),
    },
    {
      name: on('clocks that jump'),
      missing: () =>
        fakeTimeLibrary() === undefined
          ? 'libfaketime is not installed (apt-get install libfaketime)'
          : undefined,
      run: (folder, amount, script) => jumpingClocks(processes, folder, amount, script),
    },
  ];
});

async function openedWith(...settings: string[]): Promise<Opened> {
  return { postgres: await openPostgres(settings) };
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
      // Postgres took some of the space in the meantime: the disk is full all the same.
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

/** The time of day jumps at one process after the other; the monotonic clock keeps running. */
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

/** Where Debian's package libfaketime has it, by the machine's architecture. */
const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`,
);

function fakeTimeLibrary(): string | undefined {
  return LIBRARIES.find((path) => existsSync(path));
}

/** libfaketime, for a process whose clocks are off by what the file says at each call, such as `+3600` seconds. */
function fakedTime(library: string, path: string): Record<string, string> {
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: path,
    FAKETIME_NO_CACHE: '1',
    // The times of files are real: only their order counts.
    NO_FAKE_STAT: '1',
  };
}
