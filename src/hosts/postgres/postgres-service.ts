// Starts a process over Postgres from its settings, and stops it. It keeps no record: any number
// of them answer side by side.

import { FairScheduler } from '../../core/admission/fair-scheduler.js';
import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../../core/domain/sample-records.js';
import type { Log } from '../../core/log.js';
import { silentEvents } from '../../core/service-events.js';
import { attempts, Database, reasonOf } from '../../storage/postgres/database.js';
import { postgresRecords } from '../../storage/postgres/records.js';
import { prepareSchema } from '../../storage/postgres/schema.js';
import { expectSafeServer } from '../../storage/postgres/server-check.js';
import { FIND_INDEX, ROOM, TOUCH } from '../../storage/postgres/statements.js';
import { Arrivals } from '../node/arrivals.js';
import { openFront } from '../node/front.js';
import { VERSION } from '../node/operations.js';
import { openOperations, type Service, type ServiceOptions } from '../node/service.js';
import { ThreadedWork } from '../node/threaded-work.js';
import { settingWarnings } from '../settings.js';

/** After a signal to stop, answers get this long to be written. */
const DRAIN_DEADLINE_MS = 12_000;

export async function startPostgresService(
  options: Omit<ServiceOptions, 'onStorageLost'>,
): Promise<Service> {
  const { settings, log } = options;
  for (const { event, hint } of settingWarnings(settings)) log.warn(event, { hint });
  const operations = await openOperations(settings, log);
  const database = new Database(settings.postgresUrl ?? '', () =>
    log.info('postgres_pooler_found', {
      hint: 'a pooler loses prepared statements, so none is used: statements cost more; PgBouncer 1.21 or newer keeps them (max_prepared_statements)',
    }),
  );
  try {
    const isNew = await openDatabase(database, log);
    return await serve(database, operations, options, isNew && settings.sampleRecords);
  } catch (error) {
    await Promise.all([database.close(), operations.close()]);
    throw error;
  }
}

/** Whether the database was empty. Rejects with one sentence. */
async function openDatabase(database: Database, log: Log): Promise<boolean> {
  try {
    log.info('postgres_found', { found: await database.transaction(expectSafeServer) });
    return await prepareSchema(database);
  } catch (error) {
    throw new Error(`Postgres: ${reasonOf(error)}`);
  }
}

/** Opens the port. */
async function serve(
  database: Database,
  operations: Awaited<ReturnType<typeof openOperations>>,
  { settings, log, socket, guard }: Omit<ServiceOptions, 'onStorageLost'>,
  createSamples: boolean,
): Promise<Service> {
  const { events } = operations;
  const arrivals = new Arrivals();
  const scheduler = new FairScheduler({ givesWay: () => arrivals.take() });
  const work = new ThreadedWork();
  const [index] = await database.ask<{ found: boolean }>(FIND_INDEX, []);
  const records = postgresRecords({
    database,
    hasSearchIndex: index?.found === true,
    work,
    giveWay: (account, isGone) =>
      scheduler.sliceUsed() ? scheduler.yield(account, isGone) : undefined,
    limits: settings.accountLimits,
    log,
    events: events ?? silentEvents,
    clock: Date.now,
  });
  for (const { collection, body } of createSamples ? SAMPLE_RECORDS : []) {
    await records.account(SAMPLE_OWNER).create(collection, JSON.stringify(body));
  }
  const ping = () => records.operator.ping();
  const { server, providerProbe } = await openFront({
    settings,
    records,
    log,
    scheduler,
    arrivals,
    events,
    socket,
    guard,
  });
  const providerFinding = () => providerProbe.finding;
  operations.started({
    storage: { ping, touch: () => touch(database) },
    records: undefined,
    server,
    backups: undefined,
    backupPlan: undefined,
    replica: undefined,
    erasedAccounts: undefined,
    heavyWork: () => scheduler.waiting + work.jobs,
    providerFinding,
    postgres: () => database.figures,
  });
  return {
    origin: server.origin,
    operationsOrigin: operations.origin,
    facts: { version: VERSION },
    providerFinding,
    backUp() {
      log.warn('backup_not_configured', {
        hint: "no backup is taken; Postgres' own tools take them",
      });
    },
    storageAnswers: () => ping().catch(() => {}),
    async stop() {
      providerProbe.stop();
      operations.stopping();
      await server.drain(DRAIN_DEADLINE_MS);
      await work.close();
      await database.close();
      await operations.close();
    },
  };
}

async function touch(database: Database): Promise<void> {
  const request = attempts();
  await database.ask(ROOM, [], request);
  await database.ask(TOUCH, [], request);
}
