// Starts a service over Postgres. The process is stateless, so any number of them can run.

import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../core/log.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import { postgresRecords } from '../../storage/postgres/account.js';
import { Database, isTransient, reasonOf } from '../../storage/postgres/database.js';
import { prepareSchema } from '../../storage/postgres/schema.js';
import { PROBE_DISK_SPACE } from '../../storage/postgres/statements.js';
import { type ServiceOptions, startWithBackend } from '../node/service.js';

const START_RETRY_MS = 1_000;

export function startPostgresService(options: ServiceOptions) {
  const { settings, log } = options;
  return startWithBackend(async (scheduler, events) => {
    const database = new Database(settings.postgresUrl ?? '');
    try {
      const seed = settings.sampleRecords ? sampleRows() : [];
      const found = await whenReachable(() => prepareSchema(database, seed), log);
      log.info('postgres_found', { found });
      const limits = settings.accountLimits;
      const records = postgresRecords({ database, scheduler, limits, log, events });
      const touch = async () => void (await database.query(PROBE_DISK_SPACE, []));
      return {
        records,
        storage: { ping: records.operator.ping, touch },
        postgres: () => database.figures,
        close: () => database.close(),
      };
    } catch (error) {
      await database.close();
      throw new Error(`Postgres: ${reasonOf(error)}`);
    }
  }, options);
}

/** Retries while the server is unreachable, because a supervisor would only restart the process. */
async function whenReachable<T>(action: () => Promise<T>, log: Log): Promise<T> {
  const hint =
    'the start waits until Postgres responds; check the server, the network and its name';
  for (; ; await delay(START_RETRY_MS)) {
    try {
      return await action();
    } catch (error) {
      if (!isTransient(error)) throw error;
      log.warn('postgres_unavailable', { reason: reasonOf(error), hint });
    }
  }
}
