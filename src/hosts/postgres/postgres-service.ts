// Starts a process over Postgres from its settings. It is stateless: any number of processes can run.

import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../../core/domain/sample-records.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { postgresRecords } from '../../storage/postgres/account.js';
import { Database, reasonOf } from '../../storage/postgres/database.js';
import { prepareSchema } from '../../storage/postgres/schema.js';
import { TAKE_ROOM } from '../../storage/postgres/statements.js';
import { runOver, type ServedRecords, type ServiceOptions, type Turns } from '../node/service.js';

export function startPostgresService(options: ServiceOptions) {
  return runOver((turns, events) => open(turns, events, options), options);
}

async function open(
  { scheduler }: Turns,
  events: ServiceEvents | undefined,
  { settings, log }: ServiceOptions,
): Promise<ServedRecords> {
  const database = new Database(settings.postgresUrl ?? '', log);
  try {
    const { isNew, found } = await prepareSchema(database);
    log.info('postgres_found', { found });
    const limits = settings.accountLimits;
    const records = postgresRecords({ database, scheduler, limits, log, events });
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
