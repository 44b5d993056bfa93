// The faults on Node: each makes a history of its own.

import { setTimeout as delay } from 'node:timers/promises';
import { tracerIsMissing } from '../disk/trace.js';
import { NodeWorld } from './node-world.js';
import type { Amount, Fault, Faulted } from './world.js';

const SLOW_SYNCS = 'inject=fsync,fdatasync:delay_exit=20000';
/** Of the syncs of one thread: the first that fails, and after how many the next. */
const FAILING_SYNCS = 'inject=fsync,fdatasync:error=EIO:when=25+40';
/** Kills of starts, one after the other, in each round. */
const KILLED_STARTS = 4;

const restarted =
  (signal: NodeJS.Signals): Fault['run'] =>
  async (folder, amount) => {
    const world = await NodeWorld.open({ folder, clients: amount.clients });
    return world.rounds(amount, () => world.restart(signal));
  };

export const NO_FAULT: Fault = {
  name: 'none',
  async run(folder, amount) {
    const world = await NodeWorld.open({ folder, clients: amount.clients });
    return { ...(await world.rounds(amount)), came: '' };
  },
};

/** Those that need no tracer. */
export const RESTARTS: readonly Fault[] = [
  NO_FAULT,
  { name: 'kill -9', run: restarted('SIGKILL') },
  { name: 'kill -9 while stopping and while starting', run: cutShort },
];

export const NODE_FAULTS: readonly Fault[] = [
  ...RESTARTS,
  { name: 'stops and starts', run: restarted('SIGTERM') },
  ...Object.entries({ 'failing syncs': FAILING_SYNCS, 'slow syncs': SLOW_SYNCS }).map(
    ([name, inject]): Fault => ({
      name,
      missing: tracerIsMissing,
      run: (folder, amount) => traced(inject, folder, amount),
    }),
  ),
];

export const NEWEST_DELETED: Fault = {
  name: 'restarts after the newest record is deleted',
  async run(folder, amount) {
    const world = await NodeWorld.open({ folder, clients: amount.clients });
    return world.newestDeleted(amount, () => world.restart('SIGKILL'));
  },
};

/** The kills come at moments that are spread over a stop and over a start, as long as these take here. */
async function cutShort(folder: string, amount: Amount): Promise<Faulted> {
  const { rounds, clients } = amount;
  const world = await NodeWorld.open({ folder, clients });
  const stopMs = await timeOf(() => world.end('SIGTERM'));
  const startMs = await timeOf(() => world.start());
  await world.rounds(amount, async (round) => {
    await world.killStopping((stopMs * (round + 1)) / (rounds + 1));
    for (let start = 1; start <= KILLED_STARTS; start++) {
      await world.killStarting((startMs * (start - round / rounds)) / KILLED_STARTS);
    }
    await world.start();
  });
  const came = `${rounds} times while stopping, ${rounds * KILLED_STARTS} while starting`;
  return { world, came };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function traced(inject: string, folder: string, { operations, clients }: Amount) {
  const tracer = ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'];
  const under = [...tracer, '-e', 'trace=fsync,fdatasync', '-e', inject];
  const world = await NodeWorld.open({ folder, clients, under });
  world.load.start();
  while (world.recorder.operations.length < operations / 2) {
    await delay(20);
    if (world.service.isRunning()) continue;
    // "Reload or stop rather than go on": it is started again, now without the fault.
    await world.end('SIGKILL');
    await world.start([]);
  }
  const failures = world.service
    .log()
    .filter(({ event }) => event === 'storage_commit_failed' || event === 'storage_lost');
  return { world, came: inject === FAILING_SYNCS ? `${failures.length} commits failed` : '' };
}
