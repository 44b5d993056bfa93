// Starts a process over Postgres from its settings. It is stateless: any number of processes can run.

import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../core/log.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { postgresRecords } from '../../storage/postgres/account.js';
import { Database, isTransient, reasonOf } from '../../storage/postgres/database.js';
import { prepareSchema } from '../../storage/postgres/schema.js';
import { TAKE_ROOM } from '../../storage/postgres/statements.js';
import { runOver, type ServedRecords, type ServiceOptions, type Turns } from '../node/service.js';

const START_RETRY_MS = 500;

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
    const seed = settings.sampleRecords ? sampleRows() : [];
    const found = await whenReachable(() => prepareSchema(database, seed), log);
    log.info('postgres_found', { found });
    const limits = settings.accountLimits;
    const records = postgresRecords({ database, scheduler, limits, log, events });
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

/** A server that is away delays the start: ending the process would only make a supervisor repeat it. */
async function whenReachable<T>(act: () => Promise<T>, log: Log): Promise<T> {
  for (let logged = ''; ; ) {
    try {
      return await act();
    } catch (error) {
      if (!isTransient(error)) throw error;
      const reason = reasonOf(error);
      if (reason !== logged) log.warn('postgres_unavailable', { reason, hint: WAITING });
      logged = reason;
    }
    await delay(START_RETRY_MS);
  }
}

const WAITING =
  'the start waits until Postgres answers; check the server, the network and its name';
