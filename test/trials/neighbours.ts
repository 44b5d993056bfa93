// The trial `neighbours`: attacks by one account and by fifty, on a server with a heap of
// 1 GB, while another account reads every 20 ms and writes every 100 ms.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryOf } from '../../scripts/bench/processes.js';
import { percentile } from '../../scripts/bench/statistics.js';
import { startAttackers } from './load/attackers.js';
import { feltBy, type Noted, startNeighbour } from './load/neighbour.js';
import { ATTACKS, type Attack, LISTS, type Target, type Volley } from './neighbours/attacks.js';
import { openIdentityProvider } from './service/identity-provider.js';
import { spawnServer } from './service/service-process.js';
import type { Finding, Trial } from './trial.js';

const ATTACKER = new URL('./neighbours/attacker.js', import.meta.url);
const HEAP = '--max-old-space-size=1024';
const READ_P99_MAX_MS = 25;
const WRITE_MAX_MS = 250;
const ACCOUNTS = 50;
/** How long the neighbour meets each attack, at least: 1,000 reads, of which the 99th percentile leaves out ten. */
const WATCHED_MS = 20_000;

/** How many answers of each status; 0 for a request without an answer. */
type Statuses = Readonly<Record<string, number>>;

/** What the attackers' process fires at once. */
interface Fire extends Target {
  attacks: readonly (readonly Volley[])[];
}

export const neighbours: Trial = ({ quick, only, folder, say }) =>
  attackFindings({
    only,
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
  /** Words of the name of the one run that is wanted. */
  only?: string | undefined;
  /** How long the neighbour meets each attack, at least. */
  watchedMs: number;
}

interface Run {
  readonly name: string;
  readonly attacks: readonly Attack[];
  /** The accounts that attack. */
  readonly by: readonly string[];
  /** A server to compare with, in place of the service. Its times are not judged. */
  readonly script?: string;
}

/** Each attack on a server of its own, by one account and by many. */
export async function attackFindings(options: AttackOptions): Promise<Finding[]> {
  const { accounts, folder, only = '', say = () => {} } = options;
  const by = ['attacker'];
  const many = Array.from({ length: accounts }, (_, i) => `attacker-${i}`);
  const bareServer = fileURLToPath(new URL('./neighbours/bare-server.js', import.meta.url));
  const runs: Run[] = [
    ...ATTACKS.map((attack) => ({ name: attack.name, attacks: [attack], by })),
    { name: 'all of these at once', attacks: ATTACKS, by },
    { name: `each by one of ${accounts} accounts at once`, attacks: ATTACKS, by: many },
    { name: `a bare server of Node: ${LISTS.name}`, attacks: [LISTS], by, script: bareServer },
  ];
  const findings: Finding[] = [];
  for (const [number, run] of runs.filter(({ name }) => name.includes(only)).entries()) {
    say(run.name);
    findings.push(await underAttack(run, join(folder, `${number}.db`), options));
  }
  return findings;
}

async function underAttack(
  run: Run,
  file: string,
  { scale, judgesTimes, watchedMs }: AttackOptions,
): Promise<Finding> {
  const identity = await openIdentityProvider();
  const server = spawnServer({
    environment: {
      DATABASE_URL: `file:${file}`,
      AUTH_USERINFO_URL: identity.url,
      AUTH_CACHE_SECONDS: '300',
    },
    nodeOptions: [HEAP],
    ...(run.script !== undefined && { script: run.script }),
  });
  try {
    const origin = String((await server.saw('started'))['address']);
    // Many accounts share the work of one, one attack each: the machine stays the same.
    const each = run.by.length > 1 ? Math.max(scale * 0.2, 0.02) : scale;
    const target = { origin, scale: each };
    const attacks = await prepared(run, target);
    const attackers = await startAttackers<Fire, Statuses>(ATTACKER);
    const neighbour = await startNeighbour(origin);
    // Again, until the neighbour has met it often enough for a percentile.
    const end = performance.now() + watchedMs;
    let statuses: Statuses;
    do statuses = await attackers.fire({ ...target, attacks });
    while (performance.now() < end);
    const noted = await neighbour.end();
    attackers.end();
    const peakMegabytes = Math.round(memoryOf(server.pid).peak / 1_000_000);
    const fault = `${run.name}; answers ${JSON.stringify(statuses).replaceAll('"', '')}`;
    const judges = judgesTimes && run.script === undefined;
    return findingOf(fault, noted, peakMegabytes, server.isRunning(), judges);
  } finally {
    await server.end('SIGTERM');
    await identity.close();
  }
}

function findingOf(
  fault: string,
  noted: Noted,
  peakMegabytes: number,
  lives: boolean,
  judgesTimes: boolean,
): Finding {
  const { readMs, writeMs, failures, created, stored } = noted;
  if (readMs.length === 0) {
    return {
      fault,
      tried: 'once',
      found: 'the neighbour read nothing meanwhile',
      holds: undefined,
    };
  }
  const slowestWrite = Math.max(0, ...writeMs);
  const inTime = percentile(readMs, 99) < READ_P99_MAX_MS && slowestWrite < WRITE_MAX_MS;
  return {
    fault,
    tried: `${readMs.length} reads and ${writeMs.length} writes of a neighbour`,
    found: `${feltBy(noted)}, ${stored - created.length} stored without an answer, ${peakMegabytes} MB`,
    holds: lives && failures.length === 0 && stored === created.length && (inTime || !judgesTimes),
  };
}

/** Makes the records that the attacks need; resolves with the volleys of each. */
async function prepared({ attacks, by }: Run, target: Target): Promise<(readonly Volley[])[]> {
  const acts = by.flatMap((account, i) => {
    const own = by.length === 1 ? attacks : attacks.slice(i % attacks.length).slice(0, 1);
    return own.map((attack) => ({ attack, account }));
  });
  for (const { attack, account } of acts) await attack.prepare(target, account);
  return acts.map(({ attack, account }) => attack.volleys(target, account));
}
