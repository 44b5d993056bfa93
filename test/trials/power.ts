// The trial `power`: records the server's file operations, rebuilds the disk as a power
// loss may leave it at any moment, and opens the result with the service's own code.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { Disk } from './disk/disk.js';
import type { Step } from './disk/trace.js';
import { readTrace, recordingTo, tracerIsMissing } from './disk/trace.js';
import { Differences, Ledger } from './load/ledger.js';
import type { Random } from './load/random.js';
import { newSeed, randomFrom } from './load/random.js';
import { startLoad } from './load/workload.js';
import { LESS_DURABLE, planted } from './service/changed-server.js';
import { clientOf } from './service/requests.js';
import { startService } from './service/service-process.js';
import { openStored } from './service/stored.js';
import type { Finding, Trial } from './trial.js';

const LOAD_MS = 6_000;
const LOAD_MIN_MS = 600;
/** So many that the control has one with a loss. */
const STATES_MIN = 12;
/** Time enough for the changes up to the sync that fails. */
const FAILURE_MAX_MS = 20_000;
const MEMORY = '/dev/shm';
const QUICK_SHARE = 0.08;
const WORKERS = 8;

/** One run of the server under load. */
interface ServerRun {
  end: 'SIGTERM' | 'SIGKILL';
  /** The failing syncs, in the syntax of strace's `when`. */
  failingSyncs?: string;
  /** Whether the load stops at the failed sync, before anything else is written. */
  endsAtFailure?: boolean;
}

interface Part {
  fault: string;
  /** The number of states in the long version. */
  states: number;
  runs: readonly ServerRun[];
  /** A build that must lose changes. If it does not, the trial proves nothing. */
  isControl?: boolean;
}

const PARTS: readonly Part[] = [
  {
    fault:
      'power loss: unsynced writes, sizes and names kept, dropped or torn; also after failed syncs',
    states: 3_000,
    // Each run starts with the file that the failed syncs of the run before left behind.
    runs: [
      { end: 'SIGTERM' },
      { end: 'SIGTERM', failingSyncs: '9+9' },
      { end: 'SIGKILL', failingSyncs: '9', endsAtFailure: true },
      { end: 'SIGKILL' },
      { end: 'SIGKILL', failingSyncs: '9+', endsAtFailure: true },
      { end: 'SIGKILL' },
    ],
  },
  {
    fault: 'the control: power loss with synchronous=NORMAL, which must lose some',
    states: 300,
    runs: [{ end: 'SIGTERM' }, { end: 'SIGKILL' }, { end: 'SIGKILL' }],
    isControl: true,
  },
];

interface Recording {
  steps: Step[];
  ledger: Ledger;
  /** The empty folder that the disk began with. */
  folder: string;
  file: string;
}

export const power: Trial = ({ quick, folder, say }) =>
  powerLosses(folder, quick ? QUICK_SHARE : 1, say);

/** `share`: of the long version's states. */
export async function powerLosses(
  folder: string,
  share: number,
  say = (_: string) => {},
): Promise<Finding[]> {
  const missing = tracerIsMissing();
  if (missing !== undefined) {
    return [{ fault: 'power loss', tried: 'not tried', found: missing, holds: undefined }];
  }
  const identity = await startIdentityProvider();
  try {
    const findings: Finding[] = [];
    for (const [number, part] of PARTS.entries()) {
      const own = join(folder, `part-${number}`);
      mkdirSync(own);
      findings.push(
        await lossesOf(part, { folder: own, share, say, identityOrigin: identity.origin }),
      );
      rmSync(own, { recursive: true, force: true });
    }
    return findings;
  } finally {
    await identity.process.stop();
  }
}

async function lossesOf(
  { fault, states, runs, isControl = false }: Part,
  setting: { folder: string; share: number; say: (text: string) => void; identityOrigin: string },
): Promise<Finding> {
  const { folder, say, share, identityOrigin } = setting;
  const seed = newSeed();
  const random = randomFrom(seed);
  const script = isControl ? planted(join(folder, 'build'), LESS_DURABLE) : undefined;
  const loadMs = Math.max(LOAD_MS * share, LOAD_MIN_MS);
  const recording = await record({ folder, random, identityOrigin, loadMs, runs, script });
  const { steps, ledger } = recording;
  const { acknowledged } = ledger;
  const syncs = steps.filter((step) => step.kind === 'sync');
  const failed = syncs.filter((step) => step.failed).length;
  const count = Math.max(Math.ceil(states * share), STATES_MIN);
  const { bad, unopened, differences } = await losePower(recording, random, count, say);
  return {
    fault,
    tried: `${count} states of ${steps.length} steps, ${failed} of ${syncs.length} syncs failed, ${acknowledged} changes acknowledged (seed ${seed})`,
    found: `${bad} states with a loss: ${differences}, ${unopened} not opened`,
    holds: isControl ? bad > 0 : bad === 0,
  };
}

interface Recorded {
  folder: string;
  random: Random;
  identityOrigin: string;
  loadMs: number;
  runs: readonly ServerRun[];
  script: string | undefined;
}

/** Runs of a server under strace, from the creation of its folder on. */
async function record(how: Recorded): Promise<Recording> {
  const { folder, random, identityOrigin, loadMs, runs, script } = how;
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const file = join(disk, 'new/folder/service.db');
  const ledger = new Ledger();
  const steps: Step[] = [];
  for (const [number, { end, failingSyncs, endsAtFailure = false }] of runs.entries()) {
    const output = join(folder, `trace-${number}`);
    const inject = failingSyncs && `inject=fsync,fdatasync:error=EIO:when=${failingSyncs}`;
    const under = recordingTo(output, inject ? ['-e', inject] : []);
    const server = await startService({ file, identityOrigin, under, script });
    const client = clientOf(server.origin);
    const workers = endsAtFailure ? 1 : WORKERS;
    const load = startLoad({ client, ledger, random, workers, endsAtFailure });
    const loadFor = endsAtFailure ? FAILURE_MAX_MS : loadMs / runs.length;
    await Promise.race([delay(loadFor, undefined, { ref: false }), server.exited, load.ended()]);
    if (end === 'SIGTERM') await load.stop();
    await server.end(end);
    await load.ended();
    client.close();
    const own = [...readTrace(output, disk)];
    if (failingSyncs && !own.some((step) => step.kind === 'sync' && step.failed)) {
      throw new Error(`no sync failed in run ${number}, of ${failingSyncs}`);
    }
    for (const step of own) steps.push(step);
    rmSync(output);
  }
  const seen = steps.filter(({ kind }) => kind === 'acknowledge').length;
  const { acknowledged } = ledger;
  // The trace has more answers than the client when a kill cut the last ones; never fewer.
  if (seen < acknowledged) throw new Error(`the trace has ${seen} answers of ${acknowledged}`);
  return { steps, ledger, folder: disk, file };
}

/** Cuts the power at random moments, half of them right after an answer. */
async function losePower(
  { steps, ledger, folder, file }: Recording,
  random: Random,
  count: number,
  say: (text: string) => void,
) {
  const answers = steps.flatMap(({ kind }, index) => (kind === 'acknowledge' ? [index + 1] : []));
  const moments = Array.from({ length: count }, () =>
    random.chance(0.5) ? random.oneOf(answers) : random.between(0, steps.length),
  ).sort((a, b) => a - b);
  const disk = new Disk(folder);
  // In memory where that is usual: the rebuilt disk is only read.
  const scratch = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : folder, 'trust-'));
  const acknowledged = new Set();
  const differences = new Differences();
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
    const stored = await openStored(place(file));
    rmSync(rebuilt, { recursive: true, force: true });
    const { rows, events } = stored ?? { rows: [], events: [] };
    const found = ledger.compare(rows, events, ({ number }) => acknowledged.has(number));
    if (stored === undefined) unopened++;
    else differences.add(found);
    if (stored === undefined || found.count > 0) bad++;
    if ((state + 1) % 200 === 0) say(`${state + 1} of ${count} states`);
  }
  rmSync(scratch, { recursive: true });
  return { bad, unopened, differences };
}
