// The trial `slow`: every sync takes 20 ms longer while many clients write. Reads must not
// wait for the disk.

import { join } from 'node:path';
import { median, percentile } from '../../scripts/bench/statistics.js';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { tracerIsMissing } from './disk/trace.js';
import { Ledger } from './load/ledger.js';
import { newSeed, randomFrom } from './load/random.js';
import { recordsToRead, timedReads } from './load/timed-reads.js';
import { startLoad } from './load/workload.js';
import { clientOf } from './service/requests.js';
import { startService } from './service/service-process.js';
import type { Finding, Trial, TrialOptions } from './trial.js';

const SYNC_DELAY_MS = 20;
const P99_MORE_MAX_MS = 10;
const WRITERS = 16;
const ROUNDS = 7;
const QUICK_ROUNDS = 3;
const ROUND_MS = 5_000;
const QUICK_ROUND_MS = 2_000;
const READER = 'reader';

export const slow: Trial = (options) =>
  slowDisk({
    ...options,
    rounds: options.quick ? QUICK_ROUNDS : ROUNDS,
    roundMs: options.quick ? QUICK_ROUND_MS : ROUND_MS,
  });

export async function slowDisk(
  options: Omit<TrialOptions, 'quick'> & { rounds: number; roundMs: number },
): Promise<Finding[]> {
  const { folder, say, rounds, roundMs } = options;
  const fault = `every sync takes ${SYNC_DELAY_MS} ms longer, ${WRITERS} clients write`;
  const missing = tracerIsMissing();
  if (missing !== undefined)
    return [{ fault, tried: 'not tried', found: missing, holds: undefined }];
  const identity = await startIdentityProvider();
  const inject = `inject=fsync,fdatasync:delay_exit=${SYNC_DELAY_MS * 1000}`;
  const tracer = ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'];
  const server = await startService({
    file: join(folder, 'service.db'),
    identityOrigin: identity.origin,
    under: [...tracer, '-e', 'trace=fsync,fdatasync', '-e', inject],
  });
  const client = clientOf(server.origin);
  try {
    const paths = await recordsToRead(client, READER);
    const plan = { account: READER, paths, milliseconds: roundMs };
    const ledger = new Ledger();
    const random = randomFrom(newSeed());
    const idle: number[] = [];
    const busy: number[] = [];
    let reads = 0;
    // The first round does not count: the code is still being compiled.
    for (let round = 0; round <= rounds; round++) {
      const quiet = await timedReads(client, plan);
      const load = startLoad({ client, ledger, random, workers: WRITERS });
      const disturbed = await timedReads(client, plan);
      await load.stop();
      if (round === 0) continue;
      idle.push(percentile(quiet, 99));
      busy.push(percentile(disturbed, 99));
      reads += disturbed.length;
      say(
        `round ${round} of ${rounds}: ${idle.at(-1)?.toFixed(1)} ms, ${busy.at(-1)?.toFixed(1)} ms`,
      );
    }
    const more = median(busy) - median(idle);
    const { acknowledged } = ledger.outcomes;
    return [
      {
        fault,
        tried: `${rounds} rounds of ${roundMs / 1000} s, ${reads} reads beside ${acknowledged} changes`,
        found: `p99 of the reads ${median(busy).toFixed(1)} ms, ${median(idle).toFixed(1)} ms while nobody writes: ${more.toFixed(1)} ms more, at most ${P99_MORE_MAX_MS} wanted`,
        holds: more < P99_MORE_MAX_MS && acknowledged > 0,
      },
    ];
  } finally {
    client.close();
    await server.end('SIGKILL');
    await identity.process.stop();
  }
}
