// The trial `neighbours`: attacks by one account and by fifty, on a server with a heap of
// 1 GB, while another account reads every 20 ms and writes every 100 ms. Machines differ,
// so a bare server of Node under one of the attacks is the measure, in the same run.

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
/** Somebody else's reads wait less than this share of their wait at the bare server, both as p99. */
const READ_SHARE_MAX = 0.1;
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
}

/** What the neighbour felt of an attack. */
interface Felt {
  readonly noted: Noted;
  readonly lives: boolean;
  readonly peakMegabytes: number;
  /** The attackers' answers. */
  readonly statuses: Statuses;
}

/** Each attack on a server of its own, by one account and by many. */
export async function attackFindings(options: AttackOptions): Promise<Finding[]> {
  const { accounts, folder, only = '', judgesTimes, say = () => {} } = options;
  const by = ['attacker'];
  const many = Array.from({ length: accounts }, (_, i) => `attacker-${i}`);
  const runs: Run[] = [
    ...ATTACKS.map((attack) => ({ name: attack.name, attacks: [attack], by })),
    { name: 'all of these at once', attacks: ATTACKS, by },
    { name: `each by one of ${accounts} accounts at once`, attacks: ATTACKS, by: many },
  ];
  const bareServer = fileURLToPath(new URL('./neighbours/bare-server.js', import.meta.url));
  const measure: Run = { name: `a bare server of Node: ${LISTS.name}`, attacks: [LISTS], by };
  const findings: Finding[] = [];
  let bare: Noted | undefined;
  if (judgesTimes) {
    say(measure.name);
    const felt = await underAttack(measure, join(folder, 'bare.db'), options, bareServer);
    bare = felt.noted;
    findings.push(findingOf(measure.name, felt, undefined));
  }
  for (const [number, run] of runs.filter(({ name }) => name.includes(only)).entries()) {
    say(run.name);
    const felt = await underAttack(run, join(folder, `${number}.db`), options);
    findings.push(findingOf(run.name, felt, bare));
  }
  return findings;
}

async function underAttack(
  run: Run,
  file: string,
  { scale, watchedMs }: AttackOptions,
  script?: string,
): Promise<Felt> {
  const identity = await openIdentityProvider();
  const server = spawnServer({
    environment: {
      DATABASE_URL: `file:${file}`,
      AUTH_USERINFO_URL: identity.url,
      AUTH_CACHE_SECONDS: '300',
    },
    nodeOptions: [HEAP],
    script,
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
    return { noted, lives: server.isRunning(), peakMegabytes, statuses };
  } finally {
    await server.end('SIGTERM');
    await identity.close();
  }
}

/** Times are judged beside those of the bare server, where they are judged at all. */
function findingOf(name: string, felt: Felt, bare: Noted | undefined): Finding {
  const { noted, lives, peakMegabytes, statuses } = felt;
  const { readMs, writeMs, failures, created, stored } = noted;
  const fault = `${name}; answers ${JSON.stringify(statuses).replaceAll('"', '')}`;
  if (readMs.length === 0) {
    return {
      fault,
      tried: 'once',
      found: 'the neighbour read nothing meanwhile',
      holds: undefined,
    };
  }
  const share = bare && percentile(readMs, 99) / percentile(bare.readMs, 99);
  const writeShare = bare && Math.max(0, ...writeMs) / percentile(bare.writeMs, 99);
  const inTime = (share ?? 0) < READ_SHARE_MAX && (writeShare ?? 0) < 1;
  const beside =
    share === undefined ? '' : `, ${share.toFixed(3)} of the bare server's reads (p99)`;
  return {
    fault,
    tried: `${readMs.length} reads and ${writeMs.length} writes of a neighbour`,
    found: `${feltBy(noted)}${beside}, ${stored - created.length} stored without an answer, ${peakMegabytes} MB`,
    holds: lives && failures.length === 0 && stored === created.length && inTime,
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
