// Starts a process of a fleet from its settings, and stops it: Postgres, the internal port, the
// place in the fleet, its share of the shards, then the API.

import { randomUUID } from 'node:crypto';
import { byCollection } from '../../core/domain/collection-name.js';
import type { Log } from '../../core/log.js';
import { FairScheduler, openAccountRecords, SearchBlocks, sampleRows } from '../../handler.js';
import { putFirstRows } from '../../storage/postgres/first-rows.js';
import { type FleetProcess, FleetTable } from '../../storage/postgres/fleet-table.js';
import { PostgresPool, reasonOf } from '../../storage/postgres/postgres-pool.js';
import { type FleetDatabase, prepareSchema } from '../../storage/postgres/postgres-schema.js';
import { expectSafeServer } from '../../storage/postgres/postgres-server.js';
import { PostgresTotals, PostgresViews } from '../../storage/postgres/postgres-views.js';
import { SHARD_COUNT } from '../../storage/postgres/shards.js';
import { Arrivals } from '../node/arrivals.js';
import { addressReason, openFront } from '../node/front.js';
import { type Operations, VERSION } from '../node/operations.js';
import { openOperations, type Service, type ServiceOptions } from '../node/service.js';
import { ThreadedWork } from '../node/threaded-work.js';
import type { FleetSettings } from '../settings/fleet-settings.js';
import { settingWarnings } from '../settings.js';
import { Fleet } from './fleet.js';
import { fleetRecords } from './fleet-records.js';
import { HeldShards } from './held-shards.js';
import { InternalPort } from './internal-port.js';
import { Membership } from './membership.js';
import { Peers } from './peers.js';

/** Commits of different shards go side by side; signs of life never wait behind them. */
const CONNECTIONS_MAX = 8;
const SIGN_CONNECTIONS_MAX = 2;
/** After a signal to stop, answers get this long to be written. */
const DRAIN_DEADLINE_MS = 12_000;
/** Of a process without a key: no other one can have it. */
const OWN_KEY_UUIDS = 2;

const now = () => performance.now();
const clock = () => Date.now();

/** Resolves when the process serves its share. Rejects with one sentence that names the cause. */
export async function startFleetService(
  options: Omit<ServiceOptions, 'onStorageLost'>,
): Promise<Service> {
  const { settings, log } = options;
  const { fleet: own } = settings;
  if (own === undefined) throw new Error('DATABASE_URL names no Postgres database');
  for (const { event, hint } of settingWarnings(settings)) log.warn(event, { hint });
  const operations = await openOperations(settings, log);
  const pools = poolsOf(own);
  let port: InternalPort | undefined;
  try {
    const database = await preparedDatabase(pools.records, settings.sampleRecords, log);
    await expectAlone(own, pools.records);
    port = await openInternalPort(own, log);
    return await joined({ options, own, operations, pools, database, port });
  } catch (error) {
    await port?.close();
    await Promise.all([pools.records.close(), pools.signs.close(), operations.close()]);
    throw new Error(`the fleet: ${reasonOf(error)}`);
  }
}

interface Pools {
  readonly records: PostgresPool;
  readonly signs: PostgresPool;
}

function poolsOf({ databaseUrl: url }: FleetSettings): Pools {
  const applicationName = 'service-management-api';
  return {
    records: new PostgresPool({ url, applicationName, max: CONNECTIONS_MAX }),
    signs: new PostgresPool({ url, applicationName, max: SIGN_CONNECTIONS_MAX }),
  };
}

async function preparedDatabase(
  pool: PostgresPool,
  hasSamples: boolean,
  log: Log,
): Promise<FleetDatabase> {
  log.info('postgres_found', { found: await expectSafeServer(pool) });
  const database = await prepareSchema(pool, (connection) =>
    putFirstRows(connection, hasSamples ? sampleRows() : [], clock()),
  );
  if (database.isNew) log.info('tables_made', { sample_rows: hasSamples ? 'yes' : 'no' });
  return database;
}

/** Two processes without a key could not call each other. */
async function expectAlone({ key }: FleetSettings, pool: PostgresPool): Promise<void> {
  if (key !== undefined) return;
  const [first] = await new FleetTable(pool).living();
  if (first === undefined) return;
  throw new Error(
    `FLEET_KEY is unset, and the database has another process (${first.url}); set the same FLEET_KEY in every process`,
  );
}

async function openInternalPort(settings: FleetSettings, log: Log): Promise<InternalPort> {
  try {
    return await InternalPort.open({ settings, log, clock });
  } catch (error) {
    const { host, port } = settings;
    const reason = addressReason(error, 'FLEET_');
    throw new Error(`the internal port cannot be opened on ${host}:${port}: ${reason}`);
  }
}

interface Parts {
  readonly options: Omit<ServiceOptions, 'onStorageLost'>;
  readonly own: FleetSettings;
  readonly operations: Operations;
  readonly pools: Pools;
  readonly database: FleetDatabase;
  readonly port: InternalPort;
}

/** What a process needs to serve its shards. */
interface Running {
  readonly fleet: Fleet;
  readonly shards: HeldShards;
  readonly peers: Peers;
  readonly arrivals: Arrivals;
  readonly scheduler: FairScheduler;
  readonly work: ThreadedWork;
  readonly url: string;
}

async function joined(parts: Parts): Promise<Service> {
  const running = await inFleet(parts);
  try {
    return await serve(parts, running);
  } catch (error) {
    await running.fleet.leave();
    await running.fleet.end();
    throw error;
  }
}

/** Resolves when the process has its share of the shards. */
async function inFleet({
  options,
  own,
  operations,
  pools,
  database,
  port,
}: Parts): Promise<Running> {
  const { settings, log } = options;
  const { events } = operations;
  const arrivals = new Arrivals();
  const scheduler = new FairScheduler({ givesWay: () => arrivals.take() });
  const work = new ThreadedWork();
  const searchBlocks = new SearchBlocks();
  const shards: HeldShards = new HeldShards({
    pool: pools.records,
    open: (storage, shard, onStorageLost) =>
      openAccountRecords({
        storage,
        log,
        scheduler,
        work,
        searchBlocks,
        limits: settings.accountLimits,
        idNumbers: { step: SHARD_COUNT, remainder: shard },
        ...(events && { events }),
        onStorageLost,
      }),
    onChange: () => fleet.tellChange(),
  });
  const identity = { key: own.key ?? randomUUID().repeat(OWN_KEY_UUIDS), database: database.id };
  const peers = new Peers({ identity, tls: own.tls, log, clock });
  const url = own.url ?? addressOf(own, port);
  const membership = new Membership({
    table: new FleetTable(pools.signs),
    url,
    release: VERSION,
    now,
    clock,
    newId: randomUUID,
    onExpelled() {
      log.error('expelled', 'the other processes took this one for dead', {
        hint: 'it gave no sign of life for 3 s; it begins anew with no shard',
      });
      shards.dropAll();
    },
  });
  const onLook = (processes: readonly FleetProcess[]) => peers.sweep(processes);
  const fleet = new Fleet({ membership, shards, log, onLook });
  port.serve(fleet, identity);
  await fleet.start();
  return { fleet, shards, peers, arrivals, scheduler, work, url };
}

/** Opens the API, and says how all is stopped. */
async function serve(
  { options, operations, pools, port }: Parts,
  running: Running,
): Promise<Service> {
  const { settings, log, socket, guard } = options;
  const { events } = operations;
  const { fleet, shards, peers, arrivals, scheduler, work, url } = running;
  const views = new PostgresViews({ pool: pools.records, clock });
  const totals = new PostgresTotals(pools.records);
  const records = fleetRecords({ fleet, peers, now }, views);
  const api = { settings, records, log, scheduler, arrivals, events, socket, guard };
  const { server, providerProbe } = await openFront(api);
  const providerFinding = () => providerProbe.finding;
  operations.started({
    storage: {
      hasLease: () => fleet.mayServe(),
      ping: () => totals.ping(),
      touch: () => totals.touch(),
    },
    records: countedOf(shards),
    server,
    backups: undefined,
    backupPlan: undefined,
    replica: undefined,
    erasedAccounts: undefined,
    fleet: () => ({ ...shards.figures, processes: fleet.processes.length }),
    heavyWork: () => scheduler.waiting + work.jobs,
    providerFinding,
  });
  return {
    origin: server.origin,
    operationsOrigin: operations.origin,
    facts: { version: VERSION, internal: url, shards: shards.size },
    providerFinding,
    backUp() {
      const hint = "no backup is taken; Postgres' own tools take them";
      log.warn('backup_not_configured', { hint });
    },
    storageAnswers: () => totals.ping().catch(() => {}),
    async stop() {
      providerProbe.stop();
      await operations.stopping();
      // While the shards change hands this process goes on as a front: no request fails.
      await fleet.leave();
      await Promise.all([server.drain(DRAIN_DEADLINE_MS), port.quiet()]);
      await fleet.end();
      await port.close();
      peers.close();
      await work.close();
      await Promise.all([pools.records.close(), pools.signs.close()]);
      await operations.close();
    },
  };
}

function addressOf({ host, tls }: FleetSettings, port: InternalPort): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port.address.port}`;
}

/** What this process has in memory: all processes together have everything. */
function countedOf(shards: HeldShards) {
  const held = () => [...shards.all.values()].map(({ records }) => records);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return {
    get writesWaiting() {
      return sum(held().map((records) => records.writesWaiting));
    },
    get accountCount() {
      return sum(held().map((records) => records.accountCount));
    },
    counts() {
      const counts = held().map((records) => records.counts());
      return byCollection((name) => sum(counts.map((each) => each[name])));
    },
  };
}
