// Starts a process over Postgres from its settings, and stops it. It keeps no record: any number
// of them answer side by side.

import { FairScheduler } from '../../core/admission/fair-scheduler.js';
import { firstOfRuns } from '../../core/domain/audit-event.js';
import { byCollection } from '../../core/domain/collection-name.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import { silentEvents } from '../../core/service-events.js';
import { PostgresAccount } from '../../storage/postgres/account.js';
import { Database } from '../../storage/postgres/database.js';
import { Numbers } from '../../storage/postgres/numbers.js';
import { prepareSchema } from '../../storage/postgres/schema.js';
import { expectSafeServer } from '../../storage/postgres/server-check.js';
import { Turns } from '../../storage/postgres/turns.js';
import { PostgresViews } from '../../storage/postgres/views.js';
import { Arrivals } from '../node/arrivals.js';
import { openFront } from '../node/front.js';
import { VERSION } from '../node/operations.js';
import { openOperations, type Service, type ServiceOptions } from '../node/service.js';
import { ThreadedWork } from '../node/threaded-work.js';
import { settingWarnings } from '../settings.js';

const QUICK_CONNECTIONS = 8;
const SLOW_CONNECTIONS = 4;
/** After a signal to stop, answers get this long to be written. */
const DRAIN_DEADLINE_MS = 12_000;

export async function startPostgresService(
  options: Omit<ServiceOptions, 'onStorageLost'>,
): Promise<Service> {
  const { settings, log, socket, guard } = options;
  for (const { event, hint } of settingWarnings(settings)) log.warn(event, { hint });
  const operations = await openOperations(settings, log);
  const clock = () => Date.now();
  const url = settings.postgresUrl ?? '';
  const database = new Database({ url, quick: QUICK_CONNECTIONS, slow: SLOW_CONNECTIONS });
  try {
    log.info('postgres_found', { found: await database.transaction(expectSafeServer) });
    await prepareSchema(database, settings.sampleRecords ? sampleRows() : [], clock());
    const arrivals = new Arrivals();
    const scheduler = new FairScheduler({ givesWay: () => arrivals.take() });
    const work = new ThreadedWork();
    const { events } = operations;
    const numbers = new Numbers(database);
    const context = {
      database,
      numbers,
      turns: new Turns(),
      work,
      limits: settings.accountLimits,
      log,
      isLogged: firstOfRuns(),
      events: events ?? silentEvents,
      clock,
    };
    const operator = new PostgresViews(database, clock);
    const records = {
      account: (owner: string, sender?: ConstructorParameters<typeof PostgresAccount>[2]) =>
        new PostgresAccount(context, owner, sender),
      operator,
    };
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
    const touch = () =>
      database
        .write({ name: 'touch', text: "select pg_logical_emit_message(true, 'service', '')" }, [])
        .then(() => {});
    operations.started({
      storage: { ping: () => operator.ping(), touch },
      records: { writesWaiting: 0, accountCount: 0, counts: () => byCollection(() => 0) },
      server,
      backups: undefined,
      backupPlan: undefined,
      replica: undefined,
      erasedAccounts: undefined,
      heavyWork: () => scheduler.waiting + work.jobs,
      providerFinding,
      postgres: () => ({ waiting: database.waiting }),
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
      storageAnswers: () => operator.ping().catch(() => {}),
      async stop() {
        providerProbe.stop();
        operations.stopping();
        await server.drain(DRAIN_DEADLINE_MS);
        await work.close();
        await database.close();
        await operations.close();
      },
    };
  } catch (error) {
    await Promise.all([database.close(), operations.close()]);
    throw error;
  }
}
