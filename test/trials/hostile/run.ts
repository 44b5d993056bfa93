// One run of the trial `hostile`: a service, a neighbour, and attacks. Then the service is killed
// and started again, and the neighbour's records are compared with what was acknowledged.

import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { memoryOf } from '../../../scripts/bench/processes.js';
import { percentile } from '../../../scripts/bench/statistics.js';
import { asAccount, openIdentityStub, tokenOf } from '../../support/identity-stub.js';
import { clientOf } from '../service/requests.js';
import { spawnServer } from '../service/service-process.js';
import type { Finding } from '../trial.js';
import { type HostileClient, provider, WARM_UP } from './attacks.js';

const HEAP = '--max-old-space-size=512';
/** The heap, 64 MiB of bodies and answers, buffers of connections, the storage thread, the program. */
const MEMORY_MAX_MEGABYTES = 800;
const READ_P99_MAX_MS = 300;
const WRITE_P99_MAX_MS = 2_000;
/** Settings for an operator who does not trust the accounts. */
const QUOTAS = { ACCOUNT_MAX_RECORDS: '250000', ACCOUNT_MAX_BYTES: '48000000' };
const WARM_UP_MS = 5_000;
const NEIGHBOUR = 'neighbour';

/** The neighbour's measurements. */
export interface Noted {
  readMs: number[];
  writeMs: number[];
  /** Answers that were missing, refused or wrong. */
  failures: string[];
  /** Ids of the customers that it created. */
  created: string[];
}

/** Resolves when the neighbour has its record and begins to read it. */
async function startNeighbour(origin: string): Promise<{ end(): Promise<Noted> }> {
  const worker = new Worker(new URL('./neighbour-thread.js', import.meta.url), {
    workerData: { origin, headers: asAccount(NEIGHBOUR) },
  });
  await once(worker, 'message');
  return {
    async end() {
      worker.postMessage('end');
      const [noted] = await once(worker, 'message');
      await worker.terminate();
      return noted;
    },
  };
}

export interface RunOptions {
  readonly name: string;
  /** A filled database, which is copied to `file`. */
  readonly filled: string;
  readonly file: string;
  /** One after the other, until the last or until the service ends. */
  readonly attacks: readonly (readonly HostileClient[])[];
  readonly milliseconds: number;
  /** False where a busy machine would fail the trial. */
  readonly judgesTimes: boolean;
}

/** Holds if no request of the other account failed or waited, and nothing acknowledged is lost. */
export async function underAttack(options: RunOptions): Promise<Finding> {
  const { name, filled, file, attacks, milliseconds, judgesTimes } = options;
  copyFileSync(filled, file);
  const identity = await openIdentityStub(provider);
  const environment = {
    ...QUOTAS,
    DATABASE_URL: `file:${file}`,
    AUTH_USERINFO_URL: identity.url,
    AUTH_CACHE_SECONDS: '300',
  };
  const server = spawnServer({ environment, nodeOptions: [HEAP] });
  const attacker = await startAttacker();
  try {
    const origin = String((await server.saw('started'))['address']);
    const ended = once(attacker, 'exit').then(() => {
      throw new Error('the attackers ended');
    });
    const attack = async (clients: readonly HostileClient[], lasts: number): Promise<number> => {
      attacker.send({ origin, clients, milliseconds: lasts });
      return (await Promise.race([once(attacker, 'message'), ended]))[0];
    };
    const gone = server.exited.then(() => 0);
    await attack(WARM_UP, WARM_UP_MS);
    const neighbour = await startNeighbour(origin);
    let [sent, peak] = [0, 0];
    for (const clients of attacks) {
      sent += await Promise.race([attack(clients, milliseconds), gone]);
      if (!server.isRunning()) break;
      // The system keeps the peak of a process's lifetime.
      peak = Math.round(memoryOf(server.pid).peak / 1e6);
    }
    const noted = await neighbour.end();
    const fate = server.isRunning() ? '' : 'THE PROCESS ENDED; ';
    await server.end('SIGKILL');
    const { missing, extra } = await differencesAfterRestart(environment, noted);
    const { readMs, writeMs, failures, created } = noted;
    const isUnharmed = fate === '' && failures.length === 0 && missing + extra === 0;
    return {
      fault: name,
      tried: `${sent} requests of the clients, ${readMs.length} reads and ${writeMs.length} writes of a neighbour`,
      found: `${fate}${peak} MB; ${feltBy(noted)}; of ${created.length} acknowledged creates ${missing} missing, ${extra} too many`,
      holds: isUnharmed && peak <= MEMORY_MAX_MEGABYTES && (!judgesTimes || isInTime(noted)),
    };
  } finally {
    if (attacker.connected) attacker.disconnect();
    await server.end('SIGKILL');
    await identity.close();
  }
}

/**
 * Attackers have machines of their own. Here they share the service's: they get the processor
 * last, and one core at most, so that the service always has another.
 */
async function startAttacker(): Promise<ChildProcess> {
  const attacker = fork(new URL('./attacker.js', import.meta.url));
  const { pid = 0 } = attacker;
  setPriority(pid, constants.priority.PRIORITY_LOW);
  const last = availableParallelism() - 1;
  // Without this Linux program they run wherever the system schedules them.
  if (last > 0) spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${last}`, `${pid}`]);
  await once(attacker, 'message');
  return attacker;
}

function isInTime({ readMs, writeMs }: Noted): boolean {
  if (readMs.length === 0 || writeMs.length === 0) return false;
  return percentile(readMs, 99) < READ_P99_MAX_MS && percentile(writeMs, 99) < WRITE_P99_MAX_MS;
}

/** The neighbour's results, in words. */
function feltBy({ readMs, writeMs, failures }: Noted): string {
  if (readMs.length === 0 || writeMs.length === 0) return 'the neighbour got no answer';
  const kinds = failures.length > 0 ? ` (${[...new Set(failures)].join(', ')})` : '';
  const times = (of: readonly number[]) =>
    [50, 99, 100].map((share) => percentile(of, share).toFixed(1)).join(', ');
  return `${failures.length} failed${kinds}, reads ${times(readMs)} ms, writes ${times(writeMs)} ms (p50, p99, most)`;
}

/** Starts the service again and reads what it has. A create without an answer may be stored or not. */
async function differencesAfterRestart(
  environment: Readonly<Record<string, string>>,
  { created, failures }: Noted,
): Promise<{ missing: number; extra: number }> {
  const server = spawnServer({ environment });
  const client = clientOf(String((await server.saw('started'))['address']));
  try {
    const rows = await client.all<{ id: string }>('/customers', tokenOf(NEIGHBOUR));
    const stored = new Set(rows.map(({ id }) => id));
    const missing = created.filter((id) => !stored.has(id)).length;
    const unanswered = failures.filter((failure) => failure.startsWith('POST')).length;
    const extra = Math.max(stored.size - (created.length - missing) - unanswered, 0);
    return { missing, extra };
  } finally {
    client.close();
    await server.end('SIGKILL');
  }
}
