// Starts a process over Postgres from its settings. It is stateless: any number of processes can run.

import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../../core/domain/sample-records.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { postgresRecords } from '../../storage/postgres/account.js';
import { Database, reasonOf } from '../../storage/postgres/database.js';
import { prepareSchema } from '../../storage/postgres/schema.js';
import { expectSafeServer } from '../../storage/postgres/server-check.js';
import { TAKE_ROOM } from '../../storage/postgres/statements.js';
import { runOver, type ServedRecords, type ServiceOptions, type Turns } from '../node/service.js';

export function startPostgresService(options: ServiceOptions) {
  return runOver((turns, events) => open(turns, events, options), options);
}

async function open(
  { scheduler, work }: Turns,
  events: ServiceEvents | undefined,
  { settings, log }: ServiceOptions,
): Promise<ServedRecords> {
  const database = new Database(settings.postgresUrl ?? '', () =>
    log.info('postgres_pooler_found', {
      hint: 'the connection pooler loses prepared statements, so none are used and statements cost more; PgBouncer 1.21 or newer keeps them (max_prepared_statements)',
    }),
  );
  try {
    log.info('postgres_found', { found: await database.transaction(expectSafeServer) });
    const isNew = await prepareSchema(database);
    const records = postgresRecords({
      database,
      work,
      giveWay: (account, isGone) =>
        scheduler.sliceUsed() ? scheduler.yield(account, isGone) : undefined,
      limits: settings.accountLimits,
      log,
      events,
    });
    for (const { collection, body } of isNew && settings.sampleRecords ? SAMPLE_RECORDS : []) {
      await records.account(SAMPLE_OWNER).create(collection, JSON.stringify(body));
    }
    return {
      records,
      storage: {
        ping: records.operator.ping,
        touch: async () => void (await database.ask(TAKE_ROOM, [])),
      },
      postgres: () => database.figures,
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw new Error(`Postgres: ${reasonOf(error)}`);
  }
}
