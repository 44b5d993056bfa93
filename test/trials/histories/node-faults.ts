// The faults on Node: each makes a history of its own.

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../../../scripts/root.js';
import { byToken } from '../../support/identity-stub.js';
import { privateMounts } from '../../support/private-mounts.js';
import { tracerIsMissing } from '../disk/trace.js';
import { NodeWorld, type World } from './node-world.js';

/** The size of a run. */
export interface Amount {
  readonly operations: number;
  readonly rounds: number;
  /** Fewer make a violation quicker to prove: every order of concurrent operations has to be tried. */
  readonly clients?: number | undefined;
}

export interface Fault {
  readonly name: string;
  /** Why it is unavailable here; undefined if it is available. */
  readonly missing?: () => string | undefined;
  /** Makes the history, and says how often the fault came. */
  readonly run: (folder: string, amount: Amount, script?: string) => Promise<Faulted>;
}

export interface Faulted {
  readonly world: World;
  readonly came: string;
}

/** Room for all that is written, so that the disk is full only while it is filled. */
const DISK_BYTES = 40_000_000;
const FULL_MAX_MS = 5_000;
/** At least, in each round. */
const FULL_DISK_REFUSALS = 10;
const SLOW_SYNCS = 'inject=fsync,fdatasync:delay_exit=20000';
/** Of the syncs of one thread: the first that fails, and after how many the next. */
const FAILING_SYNCS = 'when=25+40';
/** Kills of starts, one after the other, in each round. */
const KILLED_STARTS = 4;
const HELD_MS = 1_500;
const HELD_FOR_GOOD_MS = 7_000;

export const NODE_FAULTS: readonly Fault[] = [
  {
    name: 'none',
    async run(folder, { operations, clients }, script) {
      const world = await NodeWorld.open({ folder, script, clients });
      world.load.start();
      await world.load.more(operations);
      return { world, came: '' };
    },
  },
  { name: 'kill -9', run: (...args) => ended('SIGKILL', ...args) },
  { name: 'kill -9 while stopping and while starting', run: cutShort },
  { name: 'stops and starts', run: (...args) => ended('SIGTERM', ...args) },
  { name: 'disk full', missing: mountsAreMissing, run: fullDisk },
  { name: 'file held by another program', run: heldFile },
  {
    name: 'failing syncs',
    missing: tracerIsMissing,
    run: (...args) => traced(`inject=fsync,fdatasync:error=EIO:${FAILING_SYNCS}`, ...args),
  },
  {
    name: 'slow syncs',
    missing: tracerIsMissing,
    run: (...args) => traced(SLOW_SYNCS, ...args),
  },
  { name: 'failing identity provider', run: failingProvider },
  { name: 'backups', run: backups },
];

async function ended(
  signal: NodeJS.Signals,
  folder: string,
  { operations, rounds, clients }: Amount,
  script?: string,
  under: readonly string[] = [],
): Promise<Faulted> {
  const world = await NodeWorld.open({ folder, script, clients, under });
  world.load.start();
  for (let round = 0; round < rounds; round++) {
    await world.load.more(operations / rounds);
    await world.end(signal);
    await world.startAgain();
  }
  return { world, came: `${rounds} times` };
}

/** The kills come at moments that are spread over a stop and over a start, as long as these take here. */
async function cutShort(
  folder: string,
  { operations, rounds, clients }: Amount,
  script?: string,
): Promise<Faulted> {
  const world = await NodeWorld.open({ folder, script, clients });
  world.load.start();
  await world.load.more(operations / rounds / 2);
  const stopMs = await timeOf(() => world.end('SIGTERM'));
  const startMs = await timeOf(() => world.start());
  for (let round = 0; round < rounds; round++) {
    await world.load.more(operations / rounds / 2);
    await world.killStopping((stopMs * (round + 1)) / (rounds + 1));
    for (let start = 1; start <= KILLED_STARTS; start++) {
      const part = (start - round / rounds) / KILLED_STARTS;
      await world.killStarting(startMs * part);
    }
    await world.startAgain();
  }
  const came = `${rounds} times while stopping, ${rounds * KILLED_STARTS} while starting`;
  return { world, came };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** The identifiers' own run: the newest record is deleted before each restart. */
export const NEWEST_DELETED: Fault = {
  name: 'restarts after the newest record is deleted',
  async run(folder, { operations, rounds, clients }, script) {
    const world = await NodeWorld.open({ folder, script, clients });
    for (let round = 0; round < rounds; round++) {
      world.load.start();
      await world.load.more(operations / rounds / 10);
      await world.load.stop();
      await world.load.makeAndDelete();
      await world.end(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      await world.startAgain();
      await world.load.makeAndDelete();
    }
    return { world, came: `${rounds} times` };
  },
};

function tracing(inject: string): readonly string[] {
  const tracer = ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'];
  return [...tracer, '-e', 'trace=fsync,fdatasync', '-e', inject];
}

async function fullDisk(folder: string, { operations, rounds, clients }: Amount, script?: string) {
  const disk = join(folder, 'disk');
  mkdirSync(disk, { recursive: true });
  const mount = `mount -t tmpfs -o size=${DISK_BYTES} tmpfs "$0" && exec "$@"`;
  const under = [...(privateMounts() ?? []), 'sh', '-c', mount, disk];
  const world = await NodeWorld.open({ folder: disk, script, clients, under });
  // As the server sees it.
  const inside = join('/proc', String(world.service.pid), 'root', disk);
  world.load.start();
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    await world.load.more(operations / rounds / 2);
    const { bavail, bsize } = statfsSync(inside);
    const unclear = () => world.recorder.operations.filter(({ code }) => code === 0).length;
    const before = unclear();
    try {
      writeFileSync(join(inside, 'ballast'), Buffer.alloc(bavail * bsize));
    } catch {
      // The service took some of the space in the meantime: the disk is full all the same.
    }
    const end = performance.now() + FULL_MAX_MS;
    while (unclear() - before < FULL_DISK_REFUSALS && performance.now() < end) await delay(5);
    refused += unclear() - before;
    rmSync(join(inside, 'ballast'));
    await world.load.more(operations / rounds / 2);
  }
  return { world, came: `${rounds} times, ${refused} writes refused with 500` };
}

async function heldFile(folder: string, { operations, rounds, clients }: Amount, script?: string) {
  const world = await NodeWorld.open({ folder, script, clients });
  world.load.start();
  const times = Math.max(2, Math.round(rounds / 4));
  let refusals = 0;
  for (let round = 0; round < times; round++) {
    await world.load.more(operations / times);
    await world.end(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    const isForGood = round === times - 1;
    const holder = await hold(world.file, isForGood ? HELD_FOR_GOOD_MS : HELD_MS);
    if (!(await world.start())) refusals++;
    await holder.exited;
    if (!world.service.isRunning()) await world.startAgain();
  }
  return { world, came: `${times} times, ${refusals} starts refused` };
}

/** Holds the database file as another program might. */
async function hold(file: string, milliseconds: number) {
  const script = join(root, 'test/trials/service/hold-database.js');
  const child = spawn(process.execPath, [script, file, String(milliseconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return { exited };
}

async function traced(
  inject: string,
  folder: string,
  { operations, clients }: Amount,
  script?: string,
): Promise<Faulted> {
  const world = await NodeWorld.open({ folder, script, clients, under: tracing(inject) });
  world.load.start();
  const wanted = world.recorder.operations.length + operations / 2;
  while (world.recorder.operations.length < wanted) {
    await delay(20);
    if (world.service.isRunning()) continue;
    // "Reload or stop rather than go on": it is started again, now without the fault.
    await world.end('SIGKILL');
    await world.startAgain([]);
  }
  const failures = world.service.log().filter(({ event }) => event === 'storage_commit_failed');
  return { world, came: inject.includes('error') ? `${failures.length} commits failed` : '' };
}

async function failingProvider(folder: string, { operations, clients }: Amount, script?: string) {
  let asked = 0;
  let failed = 0;
  const world = await NodeWorld.open({
    folder,
    script,
    clients,
    identity: (token, response) => {
      if (++asked % 5 !== 0) return byToken(token, response);
      failed++;
      if (asked % 10 === 0) response.destroy();
      else response.writeHead(500).end();
    },
  });
  world.load.start();
  await world.load.more(operations);
  return { world, came: `${failed} of ${asked} checks failed` };
}

async function backups(folder: string, { operations, rounds, clients }: Amount, script?: string) {
  const into = join(folder, 'backups');
  mkdirSync(into, { recursive: true });
  const environment = { BACKUP_DIR: into, BACKUP_INTERVAL_HOURS: '0', BACKUP_KEEP: '1000' };
  const world = await NodeWorld.open({ folder, script, clients, environment });
  world.load.start();
  for (let round = 0; round < rounds; round++) {
    await world.load.more(operations / rounds);
    world.service.child.kill('SIGUSR2');
  }
  await world.load.stop();
  while (world.service.log().filter(({ event }) => event === 'backup_taken').length === 0) {
    await delay(50);
  }
  const taken = readdirSync(into).filter((name) => name.endsWith('.db'));
  return { world, came: `${taken.length} backups` };
}

function mountsAreMissing(): string | undefined {
  return privateMounts() === undefined ? 'this user may not mount' : undefined;
}
