// The trial `power`: records the server's file operations, rebuilds the disk as a power
// loss may leave it at any moment, and opens the result with the service's own code.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openIdentityStub } from '../support/identity-stub.js';
import { startServer } from '../support/server-process.js';
import { Disk } from './disk/disk.js';
import { readTrace, recordingTo, type Step, tracerIsMissing } from './disk/trace.js';
import { compare, counted, type Difference } from './load/compare.js';
import { Load } from './load/load.js';
import { newSeed, type Random, randomFrom } from './load/random.js';
import { type Operation, Recorder } from './load/recorder.js';
import { settingsOf } from './service/client.js';
import { openStored } from './service/stored.js';
import { type Finding, notTried, type Trial } from './trial.js';

/** States to rebuild, and how long the recorded load lasts. */
const AMOUNTS = {
  small: { states: 24, loadMs: 1_200 },
  quick: { states: 240, loadMs: 600 },
  usual: { states: 3_000, loadMs: 6_000 },
};
/** Enough that the control has one with a loss. */
const CONTROL_STATES_MIN = 12;
/** Time enough for the changes up to the sync that fails. */
const FAILURE_MAX_MS = 20_000;
const MEMORY = '/dev/shm';
const CLIENTS = 8;

/** One run of the server under load. */
interface ServerRun {
  readonly end: 'SIGTERM' | 'SIGKILL';
  /** The failing syncs, in the syntax of strace's `when`. */
  readonly failingSyncs?: string;
  /** Whether the load stops at the failed sync, before anything else is written. */
  readonly endsAtFailure?: boolean;
}

/** Each run starts with the file that the previous run's failed syncs left. */
const RUNS: readonly ServerRun[] = [
  { end: 'SIGTERM' },
  { end: 'SIGTERM', failingSyncs: '9+9' },
  { end: 'SIGKILL', failingSyncs: '9', endsAtFailure: true },
  { end: 'SIGKILL' },
  { end: 'SIGKILL', failingSyncs: '9+', endsAtFailure: true },
  { end: 'SIGKILL' },
];

interface Recording {
  readonly steps: readonly Step[];
  readonly recorder: Recorder;
  /** The number of acknowledged changes. */
  readonly acknowledged: number;
  /** The empty folder that the disk began with. */
  readonly folder: string;
  readonly file: string;
}

export const power: Trial = async ({ size, folder, say }) => {
  const missing = tracerIsMissing();
  if (missing !== undefined) return [notTried('power loss', missing)];
  const seed = newSeed();
  const random = randomFrom(seed);
  const { states, loadMs } = AMOUNTS[size];
  const recording = await record(folder, random, loadMs);
  const { steps } = recording;
  const syncs = steps.filter((step) => step.kind === 'sync');
  const failed = syncs.filter((step) => step.failed).length;
  const isLogSync = (step: Step) => step.kind === 'sync' && step.path.endsWith('-wal');
  const unsynced = { ...recording, steps: steps.filter((step) => !isLogSync(step)) };
  const controls = Math.max(states / 10, CONTROL_STATES_MIN);
  const lost = await losePower(recording, random, states, say);
  const control = await losePower(unsynced, random, controls, say);
  const found = ({ bad, unopened, differences }: typeof lost) =>
    `${bad} states with a loss: ${counted(differences)}, ${unopened} not opened`;
  return [
    {
      fault:
        'power loss: unsynced writes, sizes and names kept, dropped or torn; also after failed syncs',
      tried: `${states} states of ${steps.length} steps, ${failed} of ${syncs.length} syncs failed, ${recording.acknowledged} changes acknowledged (seed ${seed})`,
      found: found(lost),
      holds: lost.bad === 0,
    },
    {
      fault: 'the control: the same on a disk that ignores syncs of the log, which must lose some',
      tried: `${controls} states`,
      found: found(control),
      holds: control.bad > 0,
    },
  ] satisfies Finding[];
};

/** Runs of a server under strace, from the creation of its folder on. */
async function record(folder: string, random: Random, loadMs: number): Promise<Recording> {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const file = join(disk, 'new/folder/service.db');
  const recorder = new Recorder();
  let origin = '';
  const place = { originFor: async () => origin, is500Open: false };
  const load = new Load({ recorder, place, clients: CLIENTS, random, isApart: true });
  const steps: Step[] = [];
  const identity = await openIdentityStub();
  for (const [number, { end, failingSyncs, endsAtFailure = false }] of RUNS.entries()) {
    const output = join(folder, `trace-${number}`);
    const inject = failingSyncs && `inject=fsync,fdatasync:error=EIO:when=${failingSyncs}`;
    const under = recordingTo(output, inject ? ['-e', inject] : []);
    const server = await startServer(settingsOf(file, identity), { under });
    origin = server.origin;
    const until = (last: unknown) => last === 'lost' || (endsAtFailure && last === 500);
    load.start({ clients: endsAtFailure ? 1 : CLIENTS, until });
    const loadFor = endsAtFailure ? FAILURE_MAX_MS : loadMs / RUNS.length;
    await Promise.race([delay(loadFor, undefined, { ref: false }), server.exited, load.ended]);
    if (end === 'SIGTERM') await load.stop();
    await server.stop(end);
    await load.ended;
    const own = readTrace(output, disk);
    if (failingSyncs && !own.some((step) => step.kind === 'sync' && step.failed)) {
      throw new Error(`no sync failed in run ${number}, of ${failingSyncs}`);
    }
    for (const step of own) steps.push(step);
    rmSync(output);
  }
  await identity.close();
  const seen = steps.filter(({ kind }) => kind === 'acknowledge').length;
  const isChange = ({ kind, code }: Operation) =>
    ['create', 'patch', 'delete'].includes(kind) && code > 0 && code < 300;
  const acknowledged = recorder.operations.filter(isChange).length;
  if (load.refusals > 0) throw new Error(`${load.refusals} requests refused`);
  // The trace has more responses than the client if a kill cut the last ones; never fewer.
  if (seen < acknowledged) throw new Error(`the trace has ${seen} answers of ${acknowledged}`);
  return { steps, recorder, acknowledged, folder: disk, file };
}

/** Cuts the power at random moments, half of them right after a response. */
async function losePower(
  { steps, recorder, folder, file }: Recording,
  random: Random,
  count: number,
  say: (text: string) => void,
) {
  const answers = steps.flatMap(({ kind }, index) => (kind === 'acknowledge' ? [index + 1] : []));
  const moments = Array.from({ length: count }, () =>
    random.chance(0.5) ? random.oneOf(answers) : random.between(0, steps.length),
  ).sort((a, b) => a - b);
  const disk = new Disk(folder);
  // In memory, if that is usual: the rebuilt disk is only read.
  const scratch = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : folder, 'trust-'));
  const acknowledged = new Set<number>();
  const differences: Difference[] = [];
  let [bad, unopened, taken] = [0, 0, 0];
  for (const [state, moment] of moments.entries()) {
    for (const step of steps.slice(taken, moment)) {
      disk.take(step);
      if (step.kind === 'acknowledge') acknowledged.add(step.change);
    }
    taken = moment;
    const rebuilt = join(scratch, String(state));
    const place = (path: string) => join(rebuilt, relative(folder, path));
    for (const [path, bytes] of disk.afterPowerLoss(random)) {
      mkdirSync(dirname(place(path)), { recursive: true });
      writeFileSync(place(path), bytes);
    }
    const stored = await openStored(place(file), (error) =>
      say(`after step ${moment} of ${steps.length}: ${error}`),
    );
    rmSync(rebuilt, { recursive: true, force: true });
    const { rows, events } = stored ?? { rows: [], events: [] };
    const { operations } = recorder;
    const found = compare(operations, rows, events, ({ number }) => acknowledged.has(number));
    if (stored === undefined) unopened++;
    else differences.push(...found);
    if (stored === undefined || found.length > 0) bad++;
    if ((state + 1) % 200 === 0) say(`${state + 1} of ${count} states`);
  }
  rmSync(scratch, { recursive: true });
  return { bad, unopened, differences };
}
