// Starts a process over Postgres from its settings. It keeps no record: any number of them answer
// side by side.

import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../../core/domain/sample-records.js';
import type { Log } from '../../core/log.js';
import { type ServiceEvents, silentEvents } from '../../core/service-events.js';
import { attempts, Database, reasonOf } from '../../storage/postgres/database.js';
import { postgresRecords } from '../../storage/postgres/records.js';
import { prepareSchema } from '../../storage/postgres/schema.js';
import { expectSafeServer } from '../../storage/postgres/server-check.js';
import { FIND_INDEX, ROOM, TOUCH } from '../../storage/postgres/statements.js';
import { runOver, type ServedRecords, type Service, type ServiceOptions } from '../node/service.js';
import type { Turns } from '../node/turns.js';

export function startPostgresService(options: ServiceOptions): Promise<Service> {
  return runOver((turns, events) => open(turns, events, options), options);
}

async function open(
  turns: Turns,
  events: ServiceEvents | undefined,
  options: ServiceOptions,
): Promise<ServedRecords> {
  const { settings, log } = options;
  const database = new Database(settings.postgresUrl ?? '', () =>
    log.info('postgres_pooler_found', {
      hint: 'a pooler loses prepared statements, so none are used, and statements cost more; PgBouncer 1.21 or newer keeps them (max_prepared_statements)',
    }),
  );
  try {
    const isNew = await openDatabase(database, log);
    return await openRecords(database, turns, events, options, isNew && settings.sampleRecords);
  } catch (error) {
    await database.close();
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

async function openRecords(
  database: Database,
  { scheduler, work }: Turns,
  events: ServiceEvents | undefined,
  { settings, log }: ServiceOptions,
  createSamples: boolean,
): Promise<ServedRecords> {
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
  return {
    records,
    storage: { ping: () => records.operator.ping(), touch: () => touch(database) },
    backupHint: "use Postgres' own tools",
    postgres() {
      const { statements, ...figures } = database.figures;
      return { ...figures, statements: Object.fromEntries(statements) };
    },
    close: () => database.close(),
  };
}

async function touch(database: Database): Promise<void> {
  const request = attempts();
  await database.ask(ROOM, [], request);
  await database.ask(TOUCH, [], request);
}
