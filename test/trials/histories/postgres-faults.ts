// The faults of two processes over Postgres: of the processes, of Postgres, and of the network between them.

import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  openPostgres,
  openPostgresOnSmallDisk,
  openPostgresPair,
  type PostgresServer,
} from '../../support/postgres.js';
import { privateMounts } from '../../support/private-mounts.js';
import type { TcpProxyState } from '../../support/tcp-proxy.js';
import type { Amount, Fault, Faulted } from './deployment.js';
import { PostgresDeployment } from './postgres-deployment.js';

/** Longer than the 5 s that a request may take. */
const LONG_MS = 8_000;
const SHORT_MS = 2_500;
/** For a frozen process: longer than any time-out of Postgres or of a pool. */
const FROZEN_MS = 20_000;
const AWAY_MS = 12_000;
const DISK_BYTES = 120_000_000;
/** The minimum in each round. */
const FULL_DISK_REFUSALS = 10;

/** Injects the fault once, into a process. `round` counts from 0. */
type Happening = (deployment: PostgresDeployment, place: number, round: number) => Promise<unknown>;

const lasts = (round: number) => (round % 2 === 0 ? LONG_MS : SHORT_MS);

function fault(name: string, happen: Happening, open = () => openPostgres()): Fault {
  return {
    name: `${name}, over Postgres`,
    run: async (_, amount) => rounds(await open(), amount, happen),
  };
}

function proxy(name: string, state: TcpProxyState): Fault {
  return fault(name, async (deployment, place, round) => {
    deployment.at(place).proxy.set(state);
    await delay(lasts(round));
    deployment.at(place).proxy.set('open');
  });
}

export const POSTGRES_FAULTS: readonly Fault[] = [
  fault('kill -9', (deployment, place) => deployment.restart(place, 'SIGKILL')),
  fault('SIGSTOP and SIGCONT', (deployment, place, round) =>
    deployment.freeze(place, round === 0 ? FROZEN_MS : LONG_MS),
  ),
  proxy('Postgres stalled', 'stalled'),
  proxy('Postgres cut off', 'cut'),
  proxy('statements delivered late', 'delayed'),
  fault('statements of a killed process delivered late', async (deployment, place) => {
    deployment.at(place).proxy.set('delayed');
    await delay(SHORT_MS / 10);
    await deployment.end(place, 'SIGKILL');
    await delay(SHORT_MS);
    deployment.at(place).proxy.set('open');
    await deployment.start(place);
  }),
  fault('Postgres restarted', ({ postgres }, _, round) =>
    postgres.restart(round === 0 ? AWAY_MS : 0),
  ),
  fault(
    'connections exhausted',
    (deployment, _, round) => exhaust(deployment, lasts(round)),
    () => openPostgres(['max_connections=60']),
  ),
  { name: 'Postgres failed over to its standby', run: (_, amount) => failedOver(amount) },
  {
    name: 'the disk of Postgres full',
    missing: () => (privateMounts() === undefined ? 'this user may not mount' : undefined),
    run: (_, amount) => diskFull(amount),
  },
];

async function rounds(postgres: PostgresServer, amount: Amount, happen: Happening) {
  const deployment = await PostgresDeployment.open(postgres, amount.clients);
  return deployment.rounds(amount, async (round) => {
    await happen(deployment, round % deployment.places.length, round);
    await deployment.calm();
  });
}

/** Other programs take every connection while the processes have lost theirs. */
export async function exhaust(deployment: PostgresDeployment, milliseconds: number): Promise<void> {
  const clients: pg.Client[] = [];
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const client = new pg.Client({ connectionString: deployment.postgres.urlOf('postgres') });
    client.on('error', () => {});
    try {
      await client.connect();
      clients.push(client);
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname <> 'postgres'",
      );
    } catch {
      // All are taken: a process may still hold one, or get one back before this program does.
      await delay(20);
    }
  }
  await Promise.all(clients.map((client) => client.end()));
}

async function failedOver(amount: Amount): Promise<Faulted> {
  const { primary, standby, promote } = await openPostgresPair();
  const deployment = await PostgresDeployment.open(primary, amount.clients);
  await deployment.rounds({ ...amount, rounds: 2 }, async (round) => {
    if (round > 0) return;
    await deployment.failOver(standby, promote);
    await deployment.calm();
  });
  return { deployment, came: 'once' };
}

async function diskFull(amount: Amount): Promise<Faulted> {
  const { server, disk } = await openPostgresOnSmallDisk(DISK_BYTES, privateMounts() ?? []);
  const ballast = join(disk, 'ballast');
  let refused = 0;
  const { deployment, came } = await rounds(server, amount, async ({ recorder }) => {
    const { bavail, bsize } = statfsSync(disk);
    try {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    } catch {
      // Postgres took some of the space in the meantime: the disk is full anyway.
    }
    const unclear = () => recorder.operations.filter(({ code }) => code === 0).length;
    const before = unclear();
    const end = performance.now() + LONG_MS;
    // Existing rows have room for small changes; there is none for new pages.
    while (unclear() - before < FULL_DISK_REFUSALS && performance.now() < end) await delay(5);
    refused += unclear() - before;
    rmSync(ballast);
  });
  if (refused === 0) throw new Error('the full disk refused no write');
  return { deployment, came: `${came}, ${refused} writes refused` };
}
