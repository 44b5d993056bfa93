// One run of the trial `hostile`: a service, a neighbour, and hostile clients in phases. Then the
// service is killed and started again, and its records are compared with what was acknowledged.

import { copyFileSync } from 'node:fs';
import { memoryOf } from '../../../scripts/bench/processes.js';
import { percentile } from '../../../scripts/bench/statistics.js';
import { openIdentityStub, tokenOf } from '../../support/identity-stub.js';
import { type Attackers, startAttackers } from '../load/attackers.js';
import { Ledger, type StoredRow } from '../load/ledger.js';
import { feltBy, NEIGHBOUR, type Noted, startNeighbour } from '../load/neighbour.js';
import { randomFrom } from '../load/random.js';
import { clientOf } from '../service/requests.js';
import { spawnServer } from '../service/service-process.js';
import type { Report } from './attacker.js';
import { type Armed, armed, type HostileClient } from './clients.js';
import { MARKED_PATH, provider, WRITER } from './requests.js';

export const ATTACKER = new URL('./attacker.js', import.meta.url);
const HEAP = '--max-old-space-size=512';
/** The heap, 64 MiB of bodies and answers, buffers of connections, the storage thread, the program. */
export const MEMORY_MAX_MEGABYTES = 800;
const READ_P99_MAX_MS = 50;
const WRITE_P99_MAX_MS = 250;
const LOOK_EVERY_MS = 200;
/** What an operator sets who does not trust the accounts. */
const QUOTAS = { ACCOUNT_MAX_RECORDS: '250000', ACCOUNT_MAX_BYTES: '48000000' };

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
  /** A filled database, which is copied. */
  readonly filled: string;
  /** The copy. */
  readonly file: string;
  /** The server of another build. */
  readonly script?: string;
  /** Made one after the other, until there is no more or the service ends. */
  readonly phases: Iterable<Phase>;
  /** Tells how long the neighbour's reads of each phase took, where there are several. */
  readonly say?: (text: string) => void;
}

export interface Outcome {
  readonly lives: boolean;
  readonly peakMegabytes: number;
  readonly noted: Noted;
  /** How many requests the hostile clients sent. */
  readonly sent: number;
  /** Differences between what was acknowledged and what is stored; empty where there are none. */
  readonly differences: string;
  /** How many creates were compared. */
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
  const server = spawnServer({
    environment,
    nodeOptions: [HEAP],
    script,
  });
  try {
    const origin = String((await server.saw('started'))['address']);
    const attackers: Attackers<{ origin: string } & Phase, Report[]> =
      await startAttackers(ATTACKER);
    await attackers.fire({
      origin,
      clients: [armed(WARM_UP, 0, randomFrom(0))],
      milliseconds: WARM_UP_MS,
    });
    const neighbour = await startNeighbour(origin);
    const ledger = new Ledger();
    const memory = watchMemory(server.pid);
    const gone = server.exited.then(() => undefined);
    let sent = 0;
    const begins: number[] = [];
    for (const phase of phases) {
      begins.push(Date.now());
      const reports = await Promise.race([attackers.fire({ origin, ...phase }), gone]);
      if (reports === undefined) break;
      noteIn(ledger, phase, reports);
      for (const report of reports) sent += report.sent;
    }
    attackers.end();
    const noted = await neighbour.end();
    const lives = server.isRunning();
    for (const text of slowPhases(noted, begins)) options.say?.(text);
    const peak = memory.end();
    await server.end('SIGKILL');
    return {
      lives,
      peakMegabytes: Math.round(peak / 1e6),
      noted,
      sent,
      compared: ledger.outcomes.acknowledged + noted.created.length,
      differences: await differencesAfterRestart(environment, ledger, noted),
    };
  } finally {
    await server.end('SIGKILL');
    await identity.close();
  }
}

/** Whether somebody else felt nothing; `judgesTimes` is false where a busy machine would fail it. */
export function holds({ lives, peakMegabytes, noted, differences }: Outcome, judgesTimes = true) {
  const { readMs, writeMs, failures } = noted;
  if (!lives || failures.length > 0 || differences !== '') return false;
  if (peakMegabytes > MEMORY_MAX_MEGABYTES) return false;
  if (readMs.length === 0 || writeMs.length === 0) return !judgesTimes;
  const inTime =
    percentile(readMs, 99) < READ_P99_MAX_MS && percentile(writeMs, 99) < WRITE_P99_MAX_MS;
  return inTime || !judgesTimes;
}

export function textOf({ lives, peakMegabytes, noted, differences, compared }: Outcome): string {
  const felt = noted.readMs.length > 0 ? feltBy(noted) : 'the neighbour got no answer';
  const ended = lives ? '' : 'THE PROCESS ENDED; ';
  return `${ended}${peakMegabytes} MB; ${felt}; ${compared} acknowledged creates: ${differences || 'all there, none more'}`;
}

/** The phases whose reads took too long. */
function slowPhases({ readMs, readAt }: Noted, begins: readonly number[]): string[] {
  return begins.flatMap((begin, i) => {
    const end = begins[i + 1] ?? Number.POSITIVE_INFINITY;
    const times = readMs.filter((_, read) => {
      const at = readAt[read] ?? 0;
      return at >= begin && at < end;
    });
    if (times.length === 0) return [`no read was answered in phase ${i + 1}`];
    const p99 = percentile(times, 99);
    return p99 < READ_P99_MAX_MS ? [] : [`reads of phase ${i + 1}: ${p99.toFixed(0)} ms (p99)`];
  });
}

/** The most resident bytes so far. A process that has ended tells nothing any more. */
function watchMemory(pid: number): { end(): number } {
  let peak = 0;
  const look = () => {
    const now = memoryOf(pid).peak;
    if (now > peak) peak = now;
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    end() {
      look();
      clearInterval(timer);
      return peak;
    },
  };
}

/** Writes down what became of the creates that bear a mark. */
function noteIn(ledger: Ledger, { clients }: Phase, reports: readonly Report[]): void {
  for (const [i, { requests, first }] of clients.entries()) {
    const { sent = 0, created = [], refused = [] } = reports[i] ?? {};
    const ids = new Map(created);
    const refusals = new Set(refused);
    for (let n = first; n < first + sent; n++) {
      const { method, path, body = '' } = requests[(n - first) % requests.length] ?? {};
      if (method !== 'POST' || path !== MARKED_PATH) continue;
      const after = { owner_sub: WRITER, ...JSON.parse(body), mark: String(n) };
      const entry = ledger.newEntry(0, WRITER, 'customers', after.mark);
      const change = ledger.begin({
        action: 'create',
        entry,
        byOperator: false,
        changed: [],
        after,
      });
      const id = ids.get(n);
      if (id !== undefined) ledger.acknowledge(change, id);
      else if (refusals.has(n)) ledger.refuse(change);
    }
  }
}

/** Starts the service again. Empty where it has every acknowledged record and no other. */
async function differencesAfterRestart(
  environment: Readonly<Record<string, string>>,
  ledger: Ledger,
  { created, failures }: Noted,
): Promise<string> {
  const server = spawnServer({ environment });
  const client = clientOf(String((await server.saw('started'))['address']));
  try {
    const customersOf = (account: string) =>
      client.all<StoredRow['body']>('/customers', tokenOf(account));
    const rows = (await customersOf(WRITER)).map((body) => ({ collection: 'customers', body }));
    const differences = ledger.compare(rows, []);
    const stored = new Set((await customersOf(NEIGHBOUR)).map(({ id }) => id));
    const missing = created.filter((id) => !stored.has(id)).length;
    // A create of the neighbour that had no answer may be stored or not.
    const unknown = failures.filter((failure) => failure.startsWith('POST')).length;
    const more = Math.max(stored.size - created.length + missing - unknown, 0);
    if (differences.count + missing + more === 0) return '';
    return `${differences}; of the neighbour's ${missing} missing, ${more} too many`;
  } finally {
    client.close();
    await server.end('SIGKILL');
  }
}
