// One scripted run of the server with a fault, and whether the server handled the fault
// as promised.

import { setTimeout as delay } from 'node:timers/promises';
import { STORAGE_LOST_EXIT_CODE } from '../../../src/hosts/node/process.js';
import type { spawnServer } from '../../support/server-process.js';
import { compare, counted, type Difference } from '../load/compare.js';
import { accountOf, Load } from '../load/load.js';
import { randomFrom } from '../load/random.js';
import { Recorder } from '../load/recorder.js';
import { clientOf, NoAnswer } from '../service/client.js';
import { isSame, openStored, readService } from '../service/stored.js';

const CHANGES = 24;
const NO_CREATE = 'no create succeeded after the fault';
/** The service gives up stopping after 15 s. */
const END_TIMEOUT_MS = 20_000;
const REFUSAL = /"start_failed","error":"the database file \S+ cannot be used: its disk /;
/** Creates after the fault. One of them must succeed, unless every call fails from the fault on. */
const LAST_CHANGES = 3;

export type End = 'went on' | 'stopped' | 'refused to start' | 'failed to stop' | 'took no harm';

export interface FaultRun {
  end: End;
  differences: Difference[];
  /** Behaviour that breaks a promise, one sentence each. */
  mistakes: string[];
}

export interface Script {
  seed: number;
  isHit: () => boolean;
  mustRecover: boolean;
  killedAtOnce: boolean;
}

/** Runs the script, ends or kills the server, and compares the file with the ledger. */
export async function runWithFault(
  server: ReturnType<typeof spawnServer>,
  file: string,
  options: Script,
): Promise<FaultRun> {
  const recorder = new Recorder();
  const mistakes: string[] = [];
  const origin = await server.listening().catch(() => undefined);
  const read = origin === undefined ? origin : await script(origin, recorder, mistakes, options);
  // The outcome of a commit is unknown: the process ends by itself, and the next start reads the file.
  const isLost = server.hasLogged('storage_lost');
  const seen = isLost ? undefined : read;
  if (isLost && !mistakes.every((one) => one === NO_CREATE)) throw new Error(mistakes.join());
  if (isLost) mistakes.length = 0;
  // A stop writes, too, and that write may be the one that fails: then the server is killed.
  const wasHit = options.isHit();
  if (seen === undefined && mistakes.length === 0 && !(isLost && options.killedAtOnce)) {
    await Promise.race([server.exited, delay(END_TIMEOUT_MS, undefined, { ref: false })]);
  }
  const code = await server.stop(wasHit ? 'SIGKILL' : 'SIGTERM');
  const stored = await openStored(file);
  if (stored === undefined) {
    mistakes.push(`the file cannot be opened afterwards: ${server.output()}`);
    return { end: 'stopped', differences: [], mistakes };
  }
  const differences = compare(recorder.operations, stored.rows, stored.events);
  if (differences.length > 0) mistakes.push(counted(differences));
  if (seen !== undefined && !isSame(seen, stored)) mistakes.push('memory and file differ');
  const end = endOf();
  if (end === undefined) mistakes.push(`exit code ${code} without a reason: ${server.output()}`);
  const isHarmed = end !== 'went on' || server.hasLogged('storage_commit_failed');
  return { end: isHarmed ? (end ?? 'stopped') : 'took no harm', differences, mistakes };

  /** How the run ended; undefined when it ended in a way that is not allowed. */
  function endOf(): End | undefined {
    if (seen !== undefined && (wasHit || code === 0)) return 'went on';
    if (isLost && options.killedAtOnce) return 'stopped';
    if (code !== 1 && !(isLost && code === STORAGE_LOST_EXIT_CODE)) return undefined;
    if (origin === undefined) {
      return REFUSAL.test(server.output()) ? 'refused to start' : undefined;
    }
    const lost = server.hasLogged('storage_lost');
    if (seen === undefined) return lost ? 'stopped' : undefined;
    return server.hasLogged('stop_failed') || lost ? 'failed to stop' : undefined;
  }
}

/**
 * The script: changes, one after the other, then a read of everything. Resolves with what
 * was read; undefined if the server ended in the meantime.
 */
async function script(
  origin: string,
  recorder: Recorder,
  mistakes: string[],
  { seed, isHit, mustRecover, killedAtOnce }: Script,
) {
  const client = clientOf(origin);
  const place = { originFor: async () => origin, is500Open: false };
  const random = randomFrom(seed);
  const load = new Load({ recorder, place, clients: 1, random, isApart: true });
  try {
    for (let change = 0; change < CHANGES; change++) {
      if ((await load.step()) === 'lost') return undefined;
      if (killedAtOnce && isHit()) return await readService(client, accountOf(0));
    }
    const statuses = [];
    for (let change = 0; change < LAST_CHANGES; change++) statuses.push(await load.create());
    if (statuses.includes('lost')) return undefined;
    if (mustRecover && !statuses.includes(201)) mistakes.push(NO_CREATE);
    if (load.refusals > 0) mistakes.push(`${load.refusals} requests refused`);
    return await readService(client, accountOf(0));
  } catch (error) {
    // Without a response, the server is ending.
    if (!(error instanceof NoAnswer)) mistakes.push(String(error));
    return undefined;
  }
}
