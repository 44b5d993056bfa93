// One run of the trial `hostile`: a service, a neighbour, and hostile clients in phases. Then the
// service is killed and started again, and its records are compared with what was acknowledged.

import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { memoryOf } from '../../../scripts/bench/processes.js';
import { percentile } from '../../../scripts/bench/statistics.js';
import { asAccount, openIdentityStub, tokenOf } from '../../support/identity-stub.js';
import { randomFrom } from '../load/random.js';
import { clientOf } from '../service/requests.js';
import { spawnServer } from '../service/service-process.js';
import type { Report } from './attacker.js';
import { type Armed, armed, type HostileClient } from './clients.js';
import { MARKED_PATH, provider, WRITER } from './requests.js';

const HEAP = '--max-old-space-size=512';
/** The heap, 64 MiB of bodies and answers, buffers of connections, the storage thread, the program. */
const MEMORY_MAX_MEGABYTES = 800;
const READ_P99_MAX_MS = 300;
const WRITE_P99_MAX_MS = 2_000;
/** Settings for an operator who does not trust the accounts. */
const QUOTAS = { ACCOUNT_MAX_RECORDS: '250000', ACCOUNT_MAX_BYTES: '48000000' };

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

/** The neighbour's results, in words. */
function feltBy({ readMs, writeMs, failures }: Noted): string {
  if (readMs.length === 0 || writeMs.length === 0) return 'the neighbour got no answer';
  const kinds = failures.length > 0 ? ` (${[...new Set(failures)].join(', ')})` : '';
  const times = (of: readonly number[]) =>
    [50, 99, 100].map((share) => percentile(of, share).toFixed(1)).join(', ');
  return `${failures.length} failed${kinds}, reads ${times(readMs)} ms, writes ${times(writeMs)} ms (p50, p99, most)`;
}

export interface Phase {
  readonly clients: readonly Armed[];
  readonly milliseconds: number;
}

/** Ordinary clients. Until Node has compiled the code that runs often, a connection costs several times more. */
const WARM_UP: HostileClient = {
  asks: ['a list', 'health', 'an unknown method'],
  sends: 'each anew',
  reads: 'everything',
  ends: 'half-closes',
  connections: 20,
  everyMs: 2,
};
const WARM_UP_MS = 5_000;

export interface RunOptions {
  /** A filled database, which is copied to `file`. */
  readonly filled: string;
  readonly file: string;
  /** The server of another build. */
  readonly script?: string;
  /** Made one after the other, until none is left or the service ends. */
  readonly phases: Iterable<Phase>;
}

export interface Outcome {
  readonly lives: boolean;
  readonly peakMegabytes: number;
  readonly noted: Noted;
  /** How many requests the hostile clients sent. */
  readonly sent: number;
  /** Acknowledged creates that are not stored, and stored ones that were refused or are there twice. */
  readonly missing: number;
  readonly extra: number;
  /** How many acknowledged creates were compared. */
  readonly compared: number;
}

export async function underHostileClients(options: RunOptions): Promise<Outcome> {
  const { filled, file, script, phases } = options;
  copyFileSync(filled, file);
  const identity = await openIdentityStub(provider);
  const environment = {
    ...QUOTAS,
    DATABASE_URL: `file:${file}`,
    AUTH_USERINFO_URL: identity.url,
    AUTH_CACHE_SECONDS: '300',
  };
  const server = spawnServer({ environment, nodeOptions: [HEAP], script });
  const attacker = await startAttacker();
  try {
    const origin = String((await server.saw('started'))['address']);
    const fire = async (phase: Phase): Promise<Report[]> => {
      attacker.send({ origin, ...phase });
      const ended = once(attacker, 'exit').then(() => {
        throw new Error('the attackers ended');
      });
      return (await Promise.race([once(attacker, 'message'), ended]))[0];
    };
    await fire({ clients: [armed(WARM_UP, 0, randomFrom(0))], milliseconds: WARM_UP_MS });
    const neighbour = await startNeighbour(origin);
    const gone = server.exited.then(() => undefined);
    const marks: Marks = { created: new Map(), refused: new Set() };
    let [sent, peak] = [0, 0];
    for (const phase of phases) {
      const reports = await Promise.race([fire(phase), gone]);
      if (reports === undefined) break;
      // The system keeps the peak of a process's lifetime.
      peak = memoryOf(server.pid).peak;
      for (const [i, report] of reports.entries()) {
        sent += report.sent;
        noteIn(marks, phase.clients[i], report);
      }
    }
    const noted = await neighbour.end();
    const lives = server.isRunning();
    await server.end('SIGKILL');
    const compared = marks.created.size + noted.created.length;
    const differences = await differencesAfterRestart(environment, marks, noted);
    return {
      lives,
      peakMegabytes: Math.round(peak / 1e6),
      noted,
      sent,
      compared,
      ...differences,
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

/** Whether the other account was unaffected; `judgesTimes` is false if a busy machine would fail it. */
export function holds({ noted, ...outcome }: Outcome, judgesTimes = true) {
  const { readMs, writeMs, failures } = noted;
  if (!outcome.lives || failures.length > 0 || outcome.missing + outcome.extra > 0) return false;
  if (outcome.peakMegabytes > MEMORY_MAX_MEGABYTES) return false;
  if (!judgesTimes) return true;
  if (readMs.length === 0 || writeMs.length === 0) return false;
  return percentile(readMs, 99) < READ_P99_MAX_MS && percentile(writeMs, 99) < WRITE_P99_MAX_MS;
}

export function textOf({ noted, ...outcome }: Outcome): string {
  const { lives, peakMegabytes, compared, missing, extra } = outcome;
  const ended = lives ? '' : 'THE PROCESS ENDED; ';
  return `${ended}${peakMegabytes} MB; ${feltBy(noted)}; of ${compared} acknowledged creates ${missing} missing, ${extra} too many`;
}

/** What became of the creates that bear a mark: the id by the mark, and the marks that were refused. */
type Marks = { readonly created: Map<string, string>; readonly refused: Set<string> };

function noteIn({ created, refused }: Marks, client: Armed | undefined, report: Report): void {
  const { requests = [], first = 0 } = client ?? {};
  const isMarked = (n: number) => {
    const { method, path } = requests[(n - first) % requests.length] ?? {};
    return method === 'POST' && path === MARKED_PATH;
  };
  for (const [n, id] of report.created) if (isMarked(n)) created.set(String(n), id);
  for (const n of report.refused) if (isMarked(n)) refused.add(String(n));
}

/** Starts the service again and reads what it has. A create without an answer may be stored or not. */
async function differencesAfterRestart(
  environment: Readonly<Record<string, string>>,
  marks: Marks,
  noted: Noted,
): Promise<{ missing: number; extra: number }> {
  const server = spawnServer({ environment });
  const client = clientOf(String((await server.saw('started'))['address']));
  try {
    const customersOf = (account: string) =>
      client.all<{ id: string; mark?: string }>('/customers', tokenOf(account));
    const rows = await customersOf(WRITER);
    const stored = new Map(rows.map(({ id, mark = '' }) => [mark, id]));
    const missing = [...marks.created].filter(([mark, id]) => stored.get(mark) !== id).length;
    const refused = rows.filter(({ mark = '' }) => marks.refused.has(mark)).length;
    const twice = rows.length - stored.size;
    const own = new Set((await customersOf(NEIGHBOUR)).map(({ id }) => id));
    const lost = noted.created.filter((id) => !own.has(id)).length;
    const unanswered = noted.failures.filter((failure) => failure.startsWith('POST')).length;
    const more = Math.max(own.size - noted.created.length + lost - unanswered, 0);
    return { missing: missing + lost, extra: refused + twice + more };
  } finally {
    client.close();
    await server.end('SIGKILL');
  }
}
