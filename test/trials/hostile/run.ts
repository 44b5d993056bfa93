// The trial `hostile`: attacks on a service with a heap of 512 MB, while a neighbour, another account,
// reads every 20 ms and writes every 100 ms. Then the service is killed and started again, and the
// neighbour's records are compared with what was acknowledged.

import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { memoryOf } from '../../../scripts/bench/processes.js';
import { percentile } from '../../../scripts/bench/statistics.js';
import { runSql } from '../../../scripts/run-sql.js';
import { FILL_COLUMNS } from '../../support/file-hosts.js';
import { asAccount, openIdentityStub } from '../../support/identity-stub.js';
import { startProgram } from '../../support/program.js';
import { startServer } from '../../support/server-process.js';
import { clientOf, settingsOf } from '../service/client.js';
import type { Finding, Trial } from '../trial.js';
import {
  ATTACKS,
  type HostileClient,
  LARGE,
  LARGE_RECORD_CHARACTERS,
  MANY,
  provider,
  WARM_UP,
} from './attacks.js';

const ORDERS = { small: 2_000, quick: 200_000, usual: 200_000 };
const MILLISECONDS = { small: 1_000, quick: 5_000, usual: 30_000 };
const LARGE_RECORDS = 30;
/** The promised heap, and the unit's single V8 thread. */
const NODE_OPTIONS = '--max-old-space-size=512 --v8-pool-size=1';
/** The heap, 64 MiB of bodies and responses, socket buffers, the storage thread, the program. */
const MEMORY_MAX_MEGABYTES = 800;
const READ_P99_MAX_MS = 300;
const WRITE_P99_MAX_MS = 2_000;
/** Settings for an operator who does not trust the accounts. */
const QUOTAS = { ACCOUNT_MAX_RECORDS: '250000', ACCOUNT_MAX_BYTES: '48000000' };
const WARM_UP_MS = 5_000;
const NEIGHBOUR = 'neighbour';
/**
 * Attackers have machines of their own. Here they share the service's: they get the processor
 * last, and one core at most, so that the service always has another.
 */
const ATTACKER = [
  ...['nice', '-n', '19', 'taskset', '--cpu-list', `${availableParallelism() - 1}`],
  ...[process.execPath, fileURLToPath(new URL('./attacker.js', import.meta.url))],
];

/** The neighbour's measurements. */
export interface Noted {
  readonly readMs: number[];
  readonly writeMs: number[];
  /** Responses that were missing, refused or wrong. */
  readonly failures: string[];
  /** Ids of the customers that it created. */
  readonly created: string[];
}

interface Run {
  readonly fault: string;
  /** One after the other, until the last or until the service ends. */
  readonly attacks: readonly (readonly HostileClient[])[];
}

export const hostile: Trial = async ({ size, only, folder, say }) => {
  const filled = join(folder, 'filled.db');
  await fillDatabase(filled, ORDERS[size]);
  const wanted = Object.entries(ATTACKS).filter(([name]) => name.includes(only));
  const runs: readonly Run[] =
    size === 'small' && wanted.length > 0
      ? [{ fault: 'every attack', attacks: wanted.map(([, clients]) => clients) }]
      : wanted.map(([fault, clients]) => ({ fault, attacks: [clients] }));
  const findings: Finding[] = [];
  for (const run of runs) {
    say(run.fault);
    // A folder of its own: the log of a killed service would be written into the next one's copy.
    const file = join(mkdtempSync(join(folder, 'run-')), 'service.db');
    copyFileSync(filled, file);
    findings.push(await underAttack(run, file, MILLISECONDS[size], size !== 'small'));
    rmSync(dirname(file), { recursive: true });
  }
  return findings;
};

/** A database with an account of very many small orders, and one of large records. */
async function fillDatabase(file: string, orders: number): Promise<void> {
  await (await startServer({ DATABASE_URL: `file:${file}` })).stop();
  await runSql(
    file,
    'pragma synchronous = off',
    'delete from records',
    `insert into records (position, collection, id, body, created_at, updated_at)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${orders})
     select n, 'orders', printf('ORD-%04d', n), json_object('id', printf('ORD-%04d', n),
       'owner_sub', '${MANY}', 'customer', 'a', 'service', 'b', 'amount', 1, 'paid', 0,
       'status', 'New', 'currency', 'TZS'), 0, 0 from numbers`,
    `insert into records (position, collection, id, body, created_at, updated_at)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${LARGE_RECORDS})
     select n + ${orders}, 'team', printf('TM-%04d', n), json_object('id', printf('TM-%04d', n),
       'owner_sub', '${LARGE}', 'name', 'Ally', 'phone', '1',
       'note', replace(hex(zeroblob(${LARGE_RECORD_CHARACTERS / 2})), '0', 'a')), 0, 0 from numbers`,
    FILL_COLUMNS,
  );
}

/** Holds if no request of the other account failed or waited, and nothing acknowledged is lost. */
async function underAttack(
  { fault, attacks }: Run,
  file: string,
  milliseconds: number,
  checksTimes: boolean,
): Promise<Finding> {
  const identity = await openIdentityStub(provider);
  const environment = { ...QUOTAS, ...settingsOf(file, identity), NODE_OPTIONS };
  const server = await startServer(environment);
  try {
    const { origin } = server;
    const attack = async (clients: readonly HostileClient[], lasts: number): Promise<number> => {
      const input = JSON.stringify({ origin, clients, milliseconds: lasts });
      const { code, stdout, stderr } = await startProgram(ATTACKER, { input }).ended;
      if (code !== 0) throw new Error(`the attackers ended: ${stderr}`);
      return Number(stdout);
    };
    const gone = server.exited.then(() => 0);
    await attack(WARM_UP, WARM_UP_MS);
    const neighbour = await startNeighbour(origin);
    let [sent, peak] = [0, 0];
    for (const clients of attacks) {
      sent += await Promise.race([attack(clients, milliseconds), gone]);
      if (!server.isRunning()) break;
      // The system keeps the peak of a process's lifetime.
      peak = Math.round(memoryOf(Number(server.child.pid)).peak / 1e6);
    }
    const noted = await neighbour.end();
    const fate = server.isRunning() ? '' : 'THE PROCESS ENDED; ';
    await server.stop('SIGKILL');
    const { missing, extra } = await differencesAfterRestart(environment, noted);
    const { readMs, writeMs, failures, created } = noted;
    const isUnharmed = fate === '' && failures.length === 0 && missing + extra === 0;
    return {
      fault,
      tried: `${sent} requests of the clients, ${readMs.length} reads and ${writeMs.length} writes of a neighbour`,
      found: `${fate}${peak} MB; ${measured(noted)}; of ${created.length} acknowledged creates ${missing} missing, ${extra} too many`,
      holds: isUnharmed && peak <= MEMORY_MAX_MEGABYTES && (!checksTimes || isInTime(noted)),
    };
  } finally {
    await server.stop('SIGKILL');
    await identity.close();
  }
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

function isInTime({ readMs, writeMs }: Noted): boolean {
  if (readMs.length === 0 || writeMs.length === 0) return false;
  return percentile(readMs, 99) < READ_P99_MAX_MS && percentile(writeMs, 99) < WRITE_P99_MAX_MS;
}

/** The neighbour's results, in words. */
function measured({ readMs, writeMs, failures }: Noted): string {
  if (readMs.length === 0 || writeMs.length === 0) return 'the neighbour got no answer';
  const kinds = failures.length > 0 ? ` (${[...new Set(failures)].join(', ')})` : '';
  const times = (of: readonly number[]) =>
    [50, 99, 100].map((share) => percentile(of, share).toFixed(1)).join(', ');
  return `${failures.length} failed${kinds}, reads ${times(readMs)} ms, writes ${times(writeMs)} ms (p50, p99, most)`;
}

/** Starts the service again and reads what it has. A create without a response may be stored. */
async function differencesAfterRestart(
  environment: Readonly<Record<string, string>>,
  { created, failures }: Noted,
): Promise<{ missing: number; extra: number }> {
  const server = await startServer(environment);
  const rows = await clientOf(server.origin).all<{ id: string }>('/customers', NEIGHBOUR);
  await server.stop('SIGKILL');
  const stored = new Set(rows.map(({ id }) => id));
  const missing = created.filter((id) => !stored.has(id)).length;
  const unanswered = failures.filter((failure) => failure.startsWith('POST')).length;
  const extra = Math.max(stored.size - (created.length - missing) - unanswered, 0);
  return { missing, extra };
}
