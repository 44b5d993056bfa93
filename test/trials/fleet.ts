// The trial `fleet`: what the users of a fleet of three processes feel when something happens to
// it. Each account asks again and again, through a front that shares requests out.

import { setTimeout as delay } from 'node:timers/promises';
import { startFront } from '../../scripts/fleet/front.js';
import { tokenOf } from '../support/identity-stub.js';
import { openPostgresPair } from '../support/postgres.js';
import { FleetWorld, PROCESSES } from './histories/fleet-world.js';
import { type Client, clientOf } from './service/requests.js';
import type { Finding, Trial } from './trial.js';

const ACCOUNTS = 60;
const PAUSE_MS = 200;
/** Before an event, and after the fleet is calm again. */
const QUIET_MS = 2_000;
/** A request that takes so long has waited for something. */
const WAITED_MS = 500;
const HANG_MS = 8_000;

interface Event {
  readonly name: string;
  /** Whether the page promises that no request fails. */
  readonly failsNone: boolean;
  happen(world: FleetWorld): Promise<unknown>;
  /** Before the requests are counted. */
  before?(world: FleetWorld): Promise<unknown>;
}

const all = async (act: (place: number) => Promise<unknown>) => {
  await Promise.all(Array.from({ length: PROCESSES }, (_, place) => act(place)));
};

const EVENTS: readonly Event[] = [
  { name: 'nothing', failsNone: true, happen: () => delay(QUIET_MS) },
  {
    name: 'kill -9 of one of three',
    failsNone: false,
    happen: (world) => world.end(0, 'SIGKILL'),
  },
  { name: 'one more process', failsNone: true, happen: (world) => world.start(0) },
  { name: 'SIGTERM of one of three', failsNone: true, happen: (world) => world.end(1, 'SIGTERM') },
  {
    name: 'a deployment, process after process',
    failsNone: true,
    before: (world) => world.start(1),
    async happen(world) {
      for (let place = 0; place < PROCESSES; place++) {
        await world.end(place, 'SIGTERM');
        await world.start(place);
        await world.calm();
      }
    },
  },
  {
    name: `SIGSTOP of one of three for ${HANG_MS / 1_000} s`,
    failsNone: false,
    async happen({ places }) {
      places[2]?.service?.child.kill('SIGSTOP');
      await delay(HANG_MS);
      places[2]?.service?.child.kill('SIGCONT');
    },
  },
  {
    name: 'kill -9 of all, which start again at once',
    failsNone: false,
    async happen(world) {
      await all((place) => world.end(place, 'SIGKILL'));
      await all((place) => world.start(place));
    },
  },
  {
    name: 'Postgres ended as by a crash, and started again',
    failsNone: false,
    happen: ({ postgres }) => postgres.restart(),
  },
];

export const fleet: Trial = async ({ quick, only = '', say }) => {
  const { primary, standby, promote } = await openPostgresPair();
  const failOver: Event = {
    name: 'Postgres failed over to its synchronous standby',
    failsNone: false,
    async happen(world) {
      await primary.close();
      await promote();
      world.postgres = standby;
      for (const { database } of world.places) database.leadTo(standby.port);
    },
  };
  // The processes reach each other without the world's line: it would take a connection to one that has ended.
  const environment = () => ({ FLEET_URL: '' });
  const world = await FleetWorld.open({ postgres: primary, environment });
  const origins = () => world.places.flatMap(({ origin }) => (origin ? [origin] : []));
  const front = await startFront(0, origins);
  const client = clientOf(front.origin);
  try {
    const findings: Finding[] = [];
    const events = quick ? EVENTS.slice(0, 2) : [...EVENTS, failOver];
    for (const event of events.filter(({ name }) => name.includes(only))) {
      findings.push(await felt(event, world, client));
      say(`${event.name}: ${findings.at(-1)?.found}`);
    }
    return findings;
  } finally {
    client.close();
    front.close();
    await world.close();
    await standby.close();
  }
};

interface Asked {
  readonly account: string;
  readonly ms: number;
  readonly isWrite: boolean;
  readonly status: number;
}

async function felt(event: Event, world: FleetWorld, client: Client): Promise<Finding> {
  await event.before?.(world);
  await world.calm();
  const asked: Asked[] = [];
  const over = new AbortController();
  const accounts = Array.from({ length: ACCOUNTS }, (_, number) =>
    asks(tokenOf(`felt-${number}`), client, asked, over.signal),
  );
  await delay(QUIET_MS);
  await event.happen(world);
  await world.calm();
  await delay(QUIET_MS);
  over.abort();
  await Promise.all(accounts);
  return findingOf(event, asked);
}

async function asks(
  account: string,
  client: Client,
  asked: Asked[],
  over: AbortSignal,
): Promise<void> {
  const body = { name: 'Neema Mushi', phone: '+255 713 445 210' };
  for (let turn = 0; !over.aborted; turn++) {
    const isWrite = turn % 2 === 0;
    const call = isWrite
      ? ({ method: 'POST', path: '/customers', account, body } as const)
      : ({ method: 'GET', path: '/customers?page_size=1', account } as const);
    const begun = performance.now();
    // A front without a process, or one that broke off, answers without JSON.
    const status = await client.send(call).then(
      (answer) => answer.status,
      () => 0,
    );
    asked.push({ account, ms: performance.now() - begun, isWrite, status });
    await delay(PAUSE_MS);
  }
}

function findingOf({ name, failsNone }: Event, asked: readonly Asked[]): Finding {
  const failed = asked.filter(({ status }) => status < 200 || status > 299);
  const slow = asked.filter(({ ms }) => ms > WAITED_MS);
  const accountsOf = (some: readonly Asked[]) => new Set(some.map(({ account }) => account)).size;
  const longest = Math.max(...asked.map(({ ms }) => ms));
  const writes = failed.filter(({ isWrite }) => isWrite).length;
  return {
    fault: `${name}, in a fleet of three`,
    tried: `${ACCOUNTS} accounts, ${asked.length} requests, each through the next process`,
    found: `longest wait ${(longest / 1_000).toFixed(2)} s; ${accountsOf(slow)} accounts waited longer than ${WAITED_MS / 1_000} s; ${failed.length} requests failed (${writes} writes, ${failed.length - writes} reads) of ${accountsOf(failed)} accounts`,
    holds: failsNone ? failed.length === 0 : true,
  };
}
