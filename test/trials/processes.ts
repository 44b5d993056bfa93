// The trial `processes`: what users of two processes over Postgres notice when something happens to
// them. Each account sends requests continuously, through a load balancer.

import { setTimeout as delay } from 'node:timers/promises';
import { startBalancer } from '../../scripts/processes/load-balancer.js';
import { openPostgresPair } from '../support/postgres.js';
import { PostgresDeployment } from './histories/postgres-deployment.js';
import { exhaust } from './histories/postgres-faults.js';
import { type Call, type Client, clientOf } from './service/client.js';
import type { Finding, Trial } from './trial.js';

const ACCOUNTS = 40;
const PAUSE_MS = 200;
/** A quiet time before each event and after recovery. */
const QUIET_MS = 2_000;
/** A request that takes this long has waited for something. */
const WAITED_MS = 500;
/** The service's 5 s for a request, and the time that a busy machine adds. */
const WAIT_MAX_MS = 6_500;
const FROZEN_MS = 8_000;
/** A failed request takes 5 s, so while Postgres is down for 12 s, an account has at most four. */
const FAILED_MAX = 4 * ACCOUNTS;

/** What users may notice, as the page says; anything else is a failure. */
interface Impact {
  readonly failedMax: number;
  readonly statuses: readonly number[];
  readonly waitMaxMs: number;
}

const NO_FAILURE: Impact = { failedMax: 0, statuses: [], waitMaxMs: WAIT_MAX_MS };
/** 500 is for writes that were in flight when Postgres went down. */
const REFUSED: Impact = { ...NO_FAILURE, failedMax: FAILED_MAX, statuses: [500, 503] };

interface Event {
  readonly name: string;
  readonly happen: (host: PostgresDeployment) => Promise<unknown>;
  readonly allowed: Impact;
}

const event = (name: string, happen: Event['happen'], allowed = NO_FAILURE): Event => {
  return { name, happen, allowed };
};

const QUICK_EVENTS: readonly Event[] = [
  event('nothing', () => delay(QUIET_MS)),
  // The requests in progress: a front doesn't send a POST again that may have been stored.
  event('`kill -9` of one of two, started again', (host) => host.restart(0, 'SIGKILL'), {
    ...NO_FAILURE,
    failedMax: ACCOUNTS,
    statuses: [0],
  }),
  event('a rolling deployment: SIGTERM and a new process, one after the other', async (host) => {
    for (const place of host.places.keys()) await host.restart(place, 'SIGTERM');
  }),
];
const EVENTS: readonly Event[] = [
  ...QUICK_EVENTS,
  event('one of two frozen for 8 s (SIGSTOP)', (host) => host.freeze(1, FROZEN_MS), {
    ...REFUSED,
    // One request of an account is in progress.
    failedMax: ACCOUNTS,
    waitMaxMs: FROZEN_MS + WAIT_MAX_MS,
  }),
  event('Postgres restarted', ({ postgres }) => postgres.restart()),
  event('Postgres away for 12 s', ({ postgres }) => postgres.restart(12_000), REFUSED),
  event('other programs take every connection for 8 s', (host) => exhaust(host, 8_000), REFUSED),
];

export const processes: Trial = async ({ size, only, say }) => {
  const { primary, standby, promote } = await openPostgresPair();
  const failOver = event('Postgres failed over to its synchronous standby', (host) =>
    host.failOver(standby, promote),
  );
  const host = await PostgresDeployment.open(primary);
  const front = await startBalancer(0, () => host.places.flatMap(({ origin }) => origin ?? []));
  const client = clientOf(front.origin);
  try {
    const findings: Finding[] = [];
    const events = size === 'quick' ? QUICK_EVENTS : [...EVENTS, failOver];
    for (const each of events.filter(({ name }) => name.includes(only))) {
      findings.push(await observe(each, host, client));
      say(`${each.name}: ${findings.at(-1)?.found}`);
    }
    return findings;
  } finally {
    front.close();
    await host.close();
    await standby.close();
  }
};

type Exchange = { readonly ms: number; readonly status: number; readonly account: string };

async function observe(event: Event, host: PostgresDeployment, client: Client): Promise<Finding> {
  await host.calm();
  const results: Exchange[] = [];
  const over = new AbortController();
  const accounts = Array.from({ length: ACCOUNTS }, (_, number) =>
    sendRequests(`event-${number}`, client, results, over.signal),
  );
  await delay(QUIET_MS);
  await event.happen(host);
  await host.calm();
  await delay(QUIET_MS);
  over.abort();
  await Promise.all(accounts);
  return findingOf(event, results);
}

async function sendRequests(account: string, client: Client, sent: Exchange[], over: AbortSignal) {
  const body = { name: 'Neema Mushi', phone: '+255 713 445 210' };
  for (let turn = 0; !over.aborted; turn++) {
    const call: Call =
      turn % 2 === 0
        ? { method: 'POST', path: '/customers', account, body }
        : { method: 'GET', path: '/customers?page_size=1', account };
    const begun = performance.now();
    // If no process is up, or one aborts, the load balancer responds without JSON.
    const { status } = await client.send(call).catch(() => ({ status: 0 }));
    sent.push({ ms: performance.now() - begun, status, account });
    await delay(PAUSE_MS);
  }
}

function findingOf({ name, allowed }: Event, results: readonly Exchange[]): Finding {
  const isFailed = ({ status }: Exchange) => status < 200 || status > 299;
  const failed = results.filter(isFailed);
  const slow = results.filter(({ ms }) => ms > WAITED_MS);
  const longestMs = Math.max(...results.map(({ ms }) => ms));
  const counts = new Map<number, number>();
  for (const { status } of failed) counts.set(status, (counts.get(status) ?? 0) + 1);
  const byStatus = [...counts].map(([status, count]) => `${count} × ${status || 'no answer'}`);
  const last = new Map(results.map((each) => [each.account, each]));
  const left = [...last.values()].filter(isFailed).length;
  return {
    fault: name,
    tried: `${ACCOUNTS} accounts, ${results.length} requests, each through the next process`,
    found: `longest wait ${(longestMs / 1_000).toFixed(2)} s; ${slow.length} requests waited longer than ${WAITED_MS} ms; failed: ${byStatus.join(', ') || 'none'}; afterwards ${left || 'none'}`,
    holds:
      last.size === ACCOUNTS &&
      left === 0 &&
      longestMs <= allowed.waitMaxMs &&
      failed.length <= allowed.failedMax &&
      failed.every(({ status }) => allowed.statuses.includes(status)),
  };
}
