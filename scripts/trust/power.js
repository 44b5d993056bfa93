// Power loss: the server's file operations are recorded, the disk is rebuilt as
// it might be at any moment, and the service's own code opens what is left.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startIdentityProvider } from '../bench/targets.js';
import { Disk } from './disk.js';
import { Differences, Ledger } from './ledger.js';
import { otherBuild } from './other-build.js';
import { newSeed, randomFrom } from './random.js';
import { clientOf } from './requests.js';
import { startService } from './service-process.js';
import { openStored } from './stored.js';
import { readTrace, recordingTo, tracerIsMissing } from './trace.js';
import { startLoad } from './workload.js';

/** @import { Finding, Trial, TrialOptions } from './trial.js' */
/** @import { Random } from './random.js' */
/** @import { Step } from './trace.js' */

const STATES = 2_500;
const CONTROL_STATES = 300;
const FAILED_SYNC_STATES = 600;
const LOAD_MS = 6_000;
const LOAD_MIN_MS = 1_000;
const QUICK_SHARE = 0.08;
const HANDS = 8;

/**
 * @typedef {object} Life Of the server, with load.
 * @property {'SIGTERM' | 'SIGKILL'} end
 * @property {string} [failingSyncs] Which ones, in the words of the tracer.
 * @property {boolean} [endsAtFailure] Killed before anything is written after a failed sync.
 */

/** @type {readonly Life[]} */
const LIVES = [{ end: 'SIGTERM' }, { end: 'SIGKILL' }, { end: 'SIGKILL' }];

/** What a failed sync has left is found by the next life, which builds on it. @type {readonly Life[]} */
const FAILING_LIVES = [
  { end: 'SIGTERM', failingSyncs: '9+9' },
  { end: 'SIGKILL', failingSyncs: '9', endsAtFailure: true },
  { end: 'SIGKILL' },
  { end: 'SIGKILL', failingSyncs: '15', endsAtFailure: true },
  { end: 'SIGKILL' },
];

/**
 * @typedef {Omit<TrialOptions, 'quick'> & { share?: number, seed?: number }} PowerOptions
 *
 * @typedef {object} Recording
 * @property {Step[]} steps
 * @property {Ledger} ledger
 * @property {string} folder What the disk began with, empty.
 * @property {string} file
 */

/** @type {Trial} */
export const power = (options) =>
  powerLosses({ ...options, share: options.quick ? QUICK_SHARE : 1 });

/** @returns {Promise<Finding[]>} */
export async function powerLosses(/** @type {PowerOptions} */ options) {
  const missing = tracerIsMissing();
  if (missing !== undefined) {
    return [{ fault: 'power loss', tried: 'not at all', found: missing, holds: false }];
  }
  const { seed = newSeed(), share = 1, folder, say } = options;
  const random = randomFrom(seed);
  const identity = await startIdentityProvider();
  /**
   * @param {string} name
   * @param {number} states
   * @param {{ script?: string, lives?: readonly Life[] }} [build]
   */
  const lossesOf = async (name, states, build = {}) => {
    const own = join(folder, name);
    mkdirSync(own);
    const identityOrigin = identity.origin;
    const loadMs = Math.max(LOAD_MS * share, LOAD_MIN_MS);
    const recording = await record({ folder: own, random, identityOrigin, loadMs, ...build });
    const { steps, ledger } = recording;
    say(`${name}: ${steps.length} steps of ${ledger.outcomes.acknowledged} changes recorded`);
    const count = Math.ceil(states * share);
    const losses = await losePower(recording, random, count, (done) =>
      say(`${name}: ${done} of ${count} states`),
    );
    rmSync(own, { recursive: true, force: true });
    const { acknowledged } = ledger.outcomes;
    const syncs = steps.filter(({ kind }) => kind === 'sync').length;
    const failed = steps.filter((step) => step.kind === 'sync' && step.failed).length;
    const tried = `${count} states of ${steps.length} steps, ${failed} of ${syncs} syncs failed, ${acknowledged} changes acknowledged (seed ${seed})`;
    return { ...losses, tried };
  };
  try {
    const real = await lossesOf('as-built', STATES);
    const failing = await lossesOf('failed-syncs', FAILED_SYNC_STATES, {
      lives: FAILING_LIVES,
    });
    const script = otherBuild(join(folder, 'normal'), 'libsql-thread.js', [
      ['pragma synchronous = full', 'pragma synchronous = normal'],
      ['#expectPragma("synchronous", 2)', '#expectPragma("synchronous", 1)'],
    ]);
    const control = await lossesOf('control', CONTROL_STATES, { script });
    return [
      {
        fault: 'power loss: unsynced writes, sizes and names kept, dropped or torn',
        tried: real.tried,
        found: `${real.bad} states with a loss: ${real.differences}, ${real.unopened} not opened`,
        holds: real.bad === 0,
      },
      {
        fault: 'power loss after syncs that failed, whose writes no later sync brings to the disk',
        tried: failing.tried,
        found: `${failing.bad} states with a loss: ${failing.differences}, ${failing.unopened} not opened`,
        holds: failing.bad === 0,
      },
      {
        fault: 'the control, synchronous=NORMAL, which must lose some',
        tried: control.tried,
        found: `${control.bad} states with a loss: ${control.differences}, ${control.unopened} not opened`,
        holds: control.bad > 0,
      },
    ];
  } finally {
    await identity.process.stop();
  }
}

/**
 * Lives of a server, from the making of its folder on, under a tracer.
 * @param {{ folder: string, random: Random, identityOrigin: string, loadMs: number, script?: string, lives?: readonly Life[] }} options
 * @returns {Promise<Recording>}
 */
async function record({ folder, random, identityOrigin, loadMs, script, lives = LIVES }) {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const file = join(disk, 'new/folder/service.db');
  const ledger = new Ledger();
  /** @type {Step[]} */
  const steps = [];
  for (const [number, { end, failingSyncs, endsAtFailure = false }] of lives.entries()) {
    const output = join(folder, `trace-${number}`);
    const inject = failingSyncs && `inject=fsync,fdatasync:error=EIO:when=${failingSyncs}`;
    const under = recordingTo(output, inject ? ['-e', inject] : []);
    const build = script === undefined ? {} : { script };
    const server = await startService({ file, identityOrigin, under, ...build });
    const client = clientOf(server.origin);
    const hands = endsAtFailure ? 1 : HANDS;
    const load = startLoad({ client, ledger, random, hands, endsAtFailure });
    await Promise.race([delay(loadMs / lives.length), server.exited, load.ended()]);
    if (end === 'SIGTERM') await load.stop();
    await server.end(end);
    await load.ended();
    client.close();
    for (const step of readTrace(output, disk)) steps.push(step);
    rmSync(output);
  }
  const seen = steps.filter(({ kind }) => kind === 'acknowledge').length;
  const { acknowledged } = ledger.outcomes;
  // The last answers before a kill may be on their way; all others are in the trace.
  if (seen < acknowledged) throw new Error(`the trace has ${seen} answers of ${acknowledged}`);
  return { steps, ledger, folder: disk, file };
}

/**
 * Cuts the power at so many moments, half of them right after an answer.
 * @param {Recording} recording
 * @param {Random} random
 * @param {number} count
 * @param {(done: number) => void} say
 */
async function losePower({ steps, ledger, folder, file }, random, count, say) {
  const answers = steps.flatMap(({ kind }, index) => (kind === 'acknowledge' ? [index + 1] : []));
  const moments = Array.from({ length: count }, () =>
    random.chance(0.5) ? random.oneOf(answers) : random.between(0, steps.length),
  ).sort((a, b) => a - b);
  const disk = new Disk(folder);
  const acknowledged = new Set();
  const differences = new Differences();
  let [bad, unopened, taken] = [0, 0, 0];
  for (const [state, moment] of moments.entries()) {
    for (const step of steps.slice(taken, moment)) {
      disk.take(step);
      if (step.kind === 'acknowledge') acknowledged.add(step.change);
    }
    taken = moment;
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    for (const [path, bytes] of disk.afterPowerLoss(random)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
    }
    const stored = await openStored(file);
    const found =
      stored === undefined
        ? new Differences()
        : ledger.compare(stored.rows, stored.events, ({ number }) => acknowledged.has(number));
    differences.add(found);
    if (stored === undefined) unopened++;
    if (stored === undefined || found.count > 0) bad++;
    if ((state + 1) % 200 === 0) say(state + 1);
  }
  return { bad, unopened, differences };
}
