// The trial `locked`: another program, or another instance of the server, holds the file
// when the server starts.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../scripts/bench/processes.js';
import { percentile } from '../../scripts/bench/statistics.js';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { recordsToRead, timedReads } from './load/timed-reads.js';
import { clientOf } from './service/requests.js';
import type { ServiceOptions } from './service/service-process.js';
import { spawnService, startService } from './service/service-process.js';
import type { Finding, Trial, TrialOptions } from './trial.js';

const TIMES = 5;
/** The contract's busy time-out is 5 s. The rest is the start of a process on a busy machine. */
const REFUSED_MIN_MS = 4_800;
const REFUSED_MAX_MS = 9_000;
const SENTENCE =
  /cannot be used: another process holds it \(waited 5 s\).*stop the other one first$/;
const HELD_FOR_MS = 2_000;
const READER = 'reader';

const HOLDER = fileURLToPath(new URL('./service/hold-database.js', import.meta.url));

export const locked: Trial = (options) =>
  lockedFile({ ...options, times: options.quick ? 1 : TIMES });

export async function lockedFile({
  folder,
  say,
  times,
}: Omit<TrialOptions, 'quick'> & { times: number }): Promise<Finding[]> {
  const identity = await startIdentityProvider();
  const service = { file: join(folder, 'service.db'), identityOrigin: identity.origin };
  try {
    // A file as the server leaves it after a stop.
    await (await startService(service)).end('SIGTERM');
    const copies = [1, 2].map((number) => join(folder, `copy-${number}.db`));
    for (const copy of copies) copyFileSync(service.file, copy);
    const [held = '', released = ''] = copies;
    const refusals = [];
    const seconds = [];
    let releases = 0;
    for (let time = 1; time <= times; time++) {
      const [heldRefusal, secondRefusal, isUp] = await Promise.all([
        whileHeld({ ...service, file: held }),
        secondInstance(service),
        startsOnceReleased({ ...service, file: released }),
      ]);
      refusals.push(heldRefusal);
      seconds.push(secondRefusal);
      if (isUp) releases++;
      say(`${time} of ${times}`);
    }
    const longest = Math.max(...seconds.map(({ p99Ms }) => p99Ms));
    return [
      findingOf('the file is held by another program at the start', refusals, ''),
      findingOf(
        'a second instance on the same file',
        seconds,
        `, the first goes on: 0 of its ${seconds.reduce((sum, { reads }) => sum + reads, 0)} reads failed, p99 at most ${longest.toFixed(1)} ms`,
      ),
      {
        fault: `the file is held by another program for ${HELD_FOR_MS / 1000} s during the start`,
        tried: `${times} times`,
        found: `${releases} starts succeeded`,
        holds: releases === times,
      },
    ];
  } finally {
    await identity.process.stop();
  }
}

export type Refusal = { afterMs: number; isRight: boolean };

async function whileHeld(service: ServiceOptions): Promise<Refusal> {
  const holder = holdDatabase(service.file);
  await holder.saw(/held/);
  try {
    return await refusalOf(service);
  } finally {
    await holder.stop();
  }
}

/** Starts another program that holds the file, until it is stopped or for so many milliseconds. */
function holdDatabase(file: string, milliseconds?: number) {
  const more = milliseconds === undefined ? [] : [String(milliseconds)];
  return startProcess(process.execPath, [HOLDER, file, ...more]);
}

/** Starts a second instance, which must be refused, while a client reads from the first. */
async function secondInstance(service: ServiceOptions) {
  const first = await startService(service);
  const client = clientOf(first.origin);
  try {
    const paths = await recordsToRead(client, READER);
    const plan = { account: READER, paths, milliseconds: REFUSED_MIN_MS };
    const [refusal, reads] = await Promise.all([refusalOf(service), timedReads(client, plan)]);
    await recordsToRead(client, READER);
    return { ...refusal, reads: reads.length, p99Ms: percentile(reads, 99) };
  } finally {
    client.close();
    await first.end('SIGTERM');
  }
}

async function startsOnceReleased(service: ServiceOptions) {
  const holder = holdDatabase(service.file, HELD_FOR_MS);
  await holder.saw(/held/);
  const server = await startService(service).catch(() => undefined);
  await holder.stop();
  return server !== undefined && (await server.end('SIGTERM')) === 0;
}

async function refusalOf(service: ServiceOptions): Promise<Refusal> {
  const started = performance.now();
  const refused = spawnService(service);
  const code = await refused.exited;
  const afterMs = performance.now() - started;
  const [line, ...more] = refused.log();
  const isSentence = line?.event === 'start_failed' && SENTENCE.test(String(line['error']));
  return { afterMs, isRight: code === 1 && isSentence && more.length === 0 };
}

function findingOf(fault: string, refusals: readonly Refusal[], more: string): Finding {
  const times = refusals.map(({ afterMs }) => afterMs);
  const right = refusals.filter(({ isRight }) => isRight).length;
  const [least, most] = [Math.min(...times), Math.max(...times)];
  return {
    fault,
    tried: `${refusals.length} times`,
    found: `${right} refused with exit code 1 and the expected message after ${(least / 1000).toFixed(1)} to ${(most / 1000).toFixed(1)} s${more}`,
    holds: right === refusals.length && least > REFUSED_MIN_MS && most < REFUSED_MAX_MS,
  };
}
