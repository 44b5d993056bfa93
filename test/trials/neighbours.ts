// The trial `neighbours`: attacks by one account and by fifty, on a server with a heap of
// 1 GB, while another account reads every 20 ms and writes every 100 ms.

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { memoryOf } from '../../scripts/bench/processes.js';
import { percentile } from '../../scripts/bench/statistics.js';
import { ATTACKS, type Attack, type Target } from './neighbours/attacks.js';
import { asAccount, openIdentityProvider } from './service/identity-provider.js';
import { spawnServer } from './service/service-process.js';
import type { Finding, Trial } from './trial.js';

const HEAP = '--max-old-space-size=1024';
const NEIGHBOUR = 'neighbour';
const READ_P99_MAX_MS = 25;
const WRITE_MAX_MS = 250;
const ACCOUNTS = 50;
/** How long the neighbour meets each attack, at least. */
const WATCHED_MS = 6_000;

/** The neighbour's measurements. */
interface Noted {
  readMs: number[];
  writeMs: number[];
  failures: string[];
  created: string[];
  /** How many records its account has in the end. */
  stored: number;
}

export const neighbours: Trial = ({ quick, folder, say }) =>
  attackFindings({
    scale: quick ? 0.2 : 1,
    accounts: ACCOUNTS,
    folder,
    say,
    judgesTimes: true,
    watchedMs: WATCHED_MS,
  });

export interface AttackOptions {
  /** How much of each attack, from 0 to 1. */
  scale: number;
  /** How many accounts attack together, besides one alone. */
  accounts: number;
  folder: string;
  say?: (text: string) => void;
  /** False where a busy machine would fail them: only failed requests count. */
  judgesTimes: boolean;
  attacks?: readonly Attack[];
  /** How long the neighbour meets each attack, at least. */
  watchedMs: number;
}

/** Each attack on a server of its own, by one account and by many. */
export async function attackFindings(options: AttackOptions): Promise<Finding[]> {
  const { scale, accounts, folder, say = () => {}, attacks = ATTACKS } = options;
  const findings: Finding[] = [];
  const many = Array.from({ length: accounts }, (_, i) => `attacker-${i}`);
  const runs = [
    ...attacks.map((attack) => ({ name: attack.name, attacks: [attack], by: ['attacker'] })),
    { name: 'all of these at once', attacks, by: ['attacker'] },
    { name: `each by one of ${accounts} accounts at once`, attacks, by: many },
  ];
  for (const [number, { name, attacks: made, by }] of runs.entries()) {
    say(name);
    const file = join(folder, `${number}.db`);
    findings.push(
      await underAttack(name, file, options, async (origin, phase) => {
        // Fifty accounts share the work of one, one attack each: the machine stays the same.
        const each = by.length > 1 ? Math.max(scale * 0.2, 0.02) : scale;
        const target: Target = { origin, scale: each };
        const acts = by.flatMap((account, i) =>
          (by.length === 1 ? made : made.slice(i % made.length, (i % made.length) + 1)).map(
            (attack) => ({ attack, account }),
          ),
        );
        if (phase === 'prepare') {
          for (const { attack, account } of acts) await attack.prepare(target, account);
        } else await Promise.all(acts.map(({ attack, account }) => attack.run(target, account)));
      }),
    );
  }
  return findings;
}

async function underAttack(
  name: string,
  file: string,
  { judgesTimes, watchedMs }: AttackOptions,
  act: (origin: string, phase: 'prepare' | 'run') => Promise<void>,
): Promise<Finding> {
  const identity = await openIdentityProvider();
  const server = spawnServer({
    environment: {
      DATABASE_URL: `file:${file}`,
      AUTH_USERINFO_URL: identity.url,
      AUTH_CACHE_SECONDS: '300',
    },
    nodeOptions: [HEAP],
  });
  try {
    const origin = String((await server.saw('started'))['address']);
    await act(origin, 'prepare');
    const neighbour = await startNeighbour(origin);
    // Again, until the neighbour has met it often enough for a percentile.
    const end = performance.now() + watchedMs;
    do await act(origin, 'run');
    while (performance.now() < end);
    const noted = await neighbour.end();
    const peakMegabytes = Math.round(memoryOf(server.pid).peak / 1_000_000);
    return findingOf(name, noted, peakMegabytes, server.isRunning(), judgesTimes);
  } finally {
    await server.end('SIGTERM');
    await identity.close();
  }
}

function findingOf(
  fault: string,
  { readMs, writeMs, failures, created, stored }: Noted,
  peakMegabytes: number,
  lives: boolean,
  judgesTimes: boolean,
): Finding {
  if (readMs.length === 0) {
    return {
      fault,
      tried: 'once',
      found: 'the neighbour read nothing meanwhile',
      holds: undefined,
    };
  }
  const p99 = percentile(readMs, 99);
  const slowestWrite = Math.max(0, ...writeMs);
  const inTime = p99 < READ_P99_MAX_MS && slowestWrite < WRITE_MAX_MS;
  return {
    fault,
    tried: `${readMs.length} reads and ${writeMs.length} writes of a neighbour`,
    found:
      `${failures.length} failed${failures.length > 0 ? ` (${[...new Set(failures)].join(', ')})` : ''}, ` +
      `reads ${percentile(readMs, 50).toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99), ${Math.max(0, ...readMs).toFixed(0)} ms at most, ` +
      `writes ${slowestWrite.toFixed(0)} ms at most, ${stored - created.length} stored without an answer, ${peakMegabytes} MB`,
    holds: lives && failures.length === 0 && stored === created.length && (inTime || !judgesTimes),
  };
}

async function startNeighbour(origin: string): Promise<{ end(): Promise<Noted> }> {
  const worker = new Worker(new URL('./neighbours/neighbour.js', import.meta.url), {
    workerData: { origin, headers: asAccount(NEIGHBOUR) },
  });
  const message = () =>
    new Promise<unknown>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  await message();
  return {
    async end() {
      const noted = message();
      worker.postMessage('end');
      const result = (await noted) as Noted;
      await worker.terminate();
      return result;
    },
  };
}
