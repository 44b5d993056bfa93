// The trial `faults`: lets one I/O call of the storage thread fail, in turn for every call of a
// scripted run. Responses must be right, memory must equal the file, and the server must recover by
// itself or stop and say why.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type IdentityStub, openIdentityStub } from '../support/identity-stub.js';
import { spawnServer } from '../support/server-process.js';
import { type End, type FaultRun, runWithFault } from './disk/fault-run.js';
import { tracerIsMissing } from './disk/trace.js';
import { counted } from './load/compare.js';
import { newSeed, type Random, randomFrom } from './load/random.js';
import { settingsOf } from './service/client.js';
import { type Finding, notTried, type Trial } from './trial.js';

/** The syncs matter most: only a sync makes a commit durable. */
const SYNCS = ['fsync', 'fdatasync'];
const CALLS = ['pwrite64', ...SYNCS, 'ftruncate'];
const ERRORS = ['EIO', 'ENOSPC'];
const AT_ONCE = 2;
const COUNTS = { small: 8, quick: 24, usual: Number.POSITIVE_INFINITY };

/** One I/O call that fails. */
interface Fault {
  readonly call: string;
  readonly error: string;
  readonly nth: number;
  /** Whether all later calls of the same name fail, too. */
  readonly lasting: boolean;
  /** Whether the server is killed right after the fault; otherwise it runs on for a while. */
  readonly killedAtOnce: boolean;
}

interface Place {
  readonly folder: string;
  readonly seed: number;
  readonly identity: IdentityStub;
}

export const faults: Trial = async ({ folder, size, say }) => {
  const missing = tracerIsMissing();
  if (missing !== undefined) return [notTried('I/O faults', missing)];
  const identity = await openIdentityStub();
  const seed = newSeed();
  const place = { folder, seed, identity };
  const random = randomFrom(seed);
  try {
    const calls = await countCalls(place);
    say(`one run: ${calls.map(([call, times]) => `${times} ${call}`).join(', ')}`);
    const wanted = size === 'small' ? SYNCS : CALLS;
    const all = everyFault(calls.filter(([call]) => wanted.includes(call)));
    const once = sample(all, COUNTS[size], random);
    const some = sample(all, Math.ceil(once.length / 8), random);
    const lasting = some.map((fault) => ({ ...fault, lasting: true }));
    return [
      findingOf(
        'one write, sync or truncate fails with EIO or ENOSPC',
        await withFaults(place, once, say),
        seed,
      ),
      findingOf(
        'every write, sync or truncate fails from one on',
        await withFaults(place, lasting, say),
        seed,
      ),
    ];
  } finally {
    await identity.close();
  }
};

/** Every call with every error and every way to continue. */
function everyFault(calls: readonly (readonly [call: string, times: number])[]): Fault[] {
  const faults: Fault[] = [];
  for (const [call, times] of calls)
    for (const error of ERRORS)
      for (const killedAtOnce of [false, true])
        for (let nth = 1; nth <= times; nth++)
          faults.push({ call, error, nth, lasting: false, killedAtOnce });
  return faults;
}

/** How often a run without a fault makes each call. The tracer counts by thread, so the busiest thread counts. */
async function countCalls(place: Place): Promise<[call: string, times: number][]> {
  const { trace, run } = await runOnce(place);
  if (run.mistakes.length > 0) throw new Error(`without a fault: ${run.mistakes.join('; ')}`);
  return CALLS.flatMap((call): [string, number][] => {
    const byThread = new Map<string, number>();
    for (const [, thread = ''] of trace.matchAll(new RegExp(`^(\\d+) +${call}\\(`, 'gm'))) {
      byThread.set(thread, (byThread.get(thread) ?? 0) + 1);
    }
    return byThread.size === 0 ? [] : [[call, Math.max(...byThread.values())]];
  });
}

/** Runs the server with each fault, a few at a time. */
async function withFaults(place: Place, chosen: readonly Fault[], say: (text: string) => void) {
  const waiting = chosen.slice();
  const runs: FaultRun[] = [];
  const next = async () => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const { run } = await runOnce(place, fault);
      for (const wrong of run.mistakes) say(`${JSON.stringify(fault)}: ${wrong}`);
      runs.push(run);
      if (runs.length % 50 === 0) say(`${runs.length} of ${chosen.length} faults`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return runs;
}

async function runOnce({ folder, seed, identity }: Place, fault?: Fault) {
  const own = mkdtempSync(join(folder, 'run-'));
  mkdirSync(join(own, 'data'));
  const [output, file] = [join(own, 'trace'), join(own, 'data/service.db')];
  const { call, error, nth, lasting = false, killedAtOnce = false } = fault ?? {};
  const inject = `inject=${call}:error=${error}:when=${nth}${lasting ? '+' : ''}`;
  const under = ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-y', '-o', output];
  under.push('-e', `trace=${CALLS.join(',')}`, ...(fault ? ['-e', inject] : []));
  const server = spawnServer(settingsOf(file, identity), { under });
  const isHit = () => readFileSync(output, 'latin1').includes('(INJECTED)');
  const how = { seed, isHit, mustRecover: !lasting, killedAtOnce };
  const run = await runWithFault(server, file, how);
  if (fault !== undefined && !isHit()) run.mistakes.push('the fault did not happen');
  const trace = readFileSync(output, 'latin1');
  rmSync(own, { recursive: true, force: true });
  return { run, trace };
}

function findingOf(fault: string, runs: readonly FaultRun[], seed: number): Finding {
  const ends = new Map<End, number>();
  for (const run of runs) {
    ends.set(run.end, (ends.get(run.end) ?? 0) + 1);
  }
  const wrong = runs.filter(({ mistakes }) => mistakes.length > 0).length;
  const counts = [...ends].map(([end, count]) => `${count} ${end}`).join(', ');
  return {
    fault,
    tried: `${runs.length} faults (seed ${seed})`,
    found: `${counted(runs.flatMap(({ differences }) => differences))}, ${wrong} runs with a wrong answer, a difference or a silent end; the service: ${counts}`,
    holds: wrong === 0,
  };
}

function sample<T>(values: readonly T[], count: number, random: Random): T[] {
  if (count >= values.length) return [...values];
  const rest = values.slice();
  return Array.from({ length: count }, () =>
    rest.splice(random.between(0, rest.length - 1), 1),
  ).flat();
}
