// The trial `faults`: lets one I/O call of the storage thread fail, in turn for every call
// of a scripted run. The answers must be right, memory must equal the file, and the server
// must carry on by itself or stop and say why.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import type { End, FaultRun } from './disk/fault-run.js';
import { runWithFault } from './disk/fault-run.js';
import { tracerIsMissing } from './disk/trace.js';
import { Differences } from './load/ledger.js';
import { newSeed, type Random, randomFrom } from './load/random.js';
import { spawnService } from './service/service-process.js';
import type { Finding, Trial, TrialOptions } from './trial.js';

const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate'];
const ERRORS = ['EIO', 'ENOSPC'];
const AT_ONCE = 2;
const QUICK_FAULTS = 24;

/** One I/O call that fails. */
export interface Fault {
  call: string;
  error: string;
  nth: number;
  /** Whether all later calls of the same name fail, too. */
  lasting: boolean;
  /** Whether the server is killed right after the fault; otherwise it runs on for a while. */
  killedAtOnce: boolean;
}

export const faults: Trial = (options) => faultsOf(options);

export async function faultsOf(
  options: TrialOptions & { count?: number; seed?: number; calls?: readonly string[] },
): Promise<Finding[]> {
  const missing = tracerIsMissing();
  if (missing !== undefined) {
    return [{ fault: 'I/O faults', tried: 'not tried', found: missing, holds: undefined }];
  }
  const { folder, quick, say, seed = newSeed(), calls: wanted = CALLS } = options;
  const identity = await startIdentityProvider();
  const random = randomFrom(seed);
  const count = options.count ?? (quick ? QUICK_FAULTS : Number.POSITIVE_INFINITY);
  const runs = new FaultRuns({ folder, seed, identityOrigin: identity.origin });
  try {
    const calls = await runs.count();
    say(`one run: ${[...calls].map(([call, times]) => `${times} ${call}`).join(', ')}`);
    const all = everyFault([...calls].filter(([call]) => wanted.includes(call)));
    const chosen = Number.isFinite(count) ? sample(all, count, random) : all;
    const some = sample(all, Math.ceil(chosen.length / 8), random);
    const lasting = some.map((fault) => ({ ...fault, lasting: true }));
    const once = await runs.all(chosen, say);
    const forever = await runs.all(lasting, say);
    return [
      findingOf('one write, sync or truncate fails with EIO or ENOSPC', once, seed),
      findingOf('every write, sync or truncate fails from one on', forever, seed),
    ];
  } finally {
    await identity.process.stop();
  }
}

/** Every call with every error and every way to continue. */
function everyFault(calls: readonly (readonly [call: string, times: number])[]): Fault[] {
  return calls.flatMap(([call, times]) =>
    ERRORS.flatMap((error) =>
      [false, true].flatMap((killedAtOnce) =>
        Array.from({ length: times }, (_, index) => {
          return { call, error, nth: index + 1, lasting: false, killedAtOnce };
        }),
      ),
    ),
  );
}

interface Place {
  readonly folder: string;
  readonly seed: number;
  readonly identityOrigin: string;
}

class FaultRuns {
  readonly #place: Place;
  #runs = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  /** How often a run without a fault makes each call. The tracer counts by thread, so the busiest thread counts. */
  async count() {
    const { trace, run } = await this.#run();
    if (run.mistakes.length > 0) throw new Error(`without a fault: ${run.mistakes.join('; ')}`);
    const counts = CALLS.map((call) => {
      const byThread: Map<string, number> = new Map();
      for (const [, thread = ''] of trace.matchAll(new RegExp(`^(\\d+) +${call}\\(`, 'gm'))) {
        byThread.set(thread, (byThread.get(thread) ?? 0) + 1);
      }
      return [call, Math.max(0, ...byThread.values())] as const;
    });
    return new Map(counts.filter(([, times]) => times > 0));
  }

  /** Runs the server with each fault, a few at a time. */
  async all(chosen: readonly Fault[], say: (text: string) => void) {
    const waiting = chosen.slice();
    const runs: FaultRun[] = [];
    const next = async () => {
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
        const { run } = await this.#run(fault);
        for (const wrong of run.mistakes) say(`${JSON.stringify(fault)}: ${wrong}`);
        runs.push(run);
        if (runs.length % 50 === 0) say(`${runs.length} of ${chosen.length} faults`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    return runs;
  }

  async #run(fault?: Fault) {
    const { folder, seed, identityOrigin } = this.#place;
    const own = join(folder, `run-${++this.#runs}`);
    mkdirSync(join(own, 'data'), { recursive: true });
    const [output, file] = [join(own, 'trace'), join(own, 'data/service.db')];
    const { call, error, nth, lasting = false, killedAtOnce = false } = fault ?? {};
    const inject = `inject=${call}:error=${error}:when=${nth}${lasting ? '+' : ''}`;
    const under = ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-y', '-o', output];
    under.push('-e', `trace=${CALLS.join(',')}`, ...(fault ? ['-e', inject] : []));
    const service = spawnService({ file, identityOrigin, under });
    const isHit = () => readFileSync(output, 'latin1').includes('(INJECTED)');
    const how = { seed, isHit, mustRecover: !lasting, killedAtOnce };
    const run = await runWithFault(service, file, how);
    if (fault !== undefined && !isHit()) run.mistakes.push('the fault did not happen');
    const trace = readFileSync(output, 'latin1');
    rmSync(own, { recursive: true, force: true });
    return { run, trace };
  }
}

function findingOf(fault: string, runs: readonly FaultRun[], seed: number): Finding {
  const differences = new Differences();
  const ends: Map<End, number> = new Map();
  for (const run of runs) {
    differences.add(run.differences);
    ends.set(run.end, (ends.get(run.end) ?? 0) + 1);
  }
  const wrong = runs.filter(({ mistakes }) => mistakes.length > 0).length;
  const counts = [...ends].map(([end, count]) => `${count} ${end}`).join(', ');
  return {
    fault,
    tried: `${runs.length} faults (seed ${seed})`,
    found: `${differences}, ${wrong} runs with a wrong answer, a difference or a silent end; the service: ${counts}`,
    holds: wrong === 0,
  };
}

function sample<T>(values: readonly T[], count: number, random: Random) {
  const rest = values.slice();
  return Array.from({ length: Math.min(count, rest.length) }, () => {
    const [taken] = rest.splice(random.between(0, rest.length - 1), 1);
    return taken as T;
  });
}
