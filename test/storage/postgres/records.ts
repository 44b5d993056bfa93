// The records of a process over a Postgres database, without its HTTP.

import { FairScheduler } from '../../../src/core/admission/fair-scheduler.js';
import type { Outcome } from '../../../src/core/domain/errors.js';
import { NO_LIMITS } from '../../../src/core/records/account-limits.js';
import { workInPlace } from '../../../src/core/records/record-work.js';
import { postgresRecords } from '../../../src/storage/postgres/account.js';
import { Database } from '../../../src/storage/postgres/database.js';
import { prepareSchema } from '../../../src/storage/postgres/schema.js';
import { keptLog } from '../../support/kept-log.js';

/** `url`: of a database, whose tables are made if it has none. */
export async function openRecords(url: string, limits = NO_LIMITS) {
  const log = keptLog();
  const database = new Database(url, log);
  await prepareSchema(database);
  const { account } = postgresRecords({
    database,
    work: workInPlace,
    scheduler: new FairScheduler(),
    limits,
    log,
    events: undefined,
  });
  return { database, account, log, close: () => database.close() };
}

export type Records = Awaited<ReturnType<typeof openRecords>>;

export function customer(more: object = {}): string {
  return JSON.stringify({ name: 'Neema', phone: '1', ...more });
}

/** The record in an outcome. Throws if it is a failure. */
export function recordIn(outcome: Outcome<string>): Record<string, unknown> & { id: string } {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return JSON.parse(outcome.value);
}

export function messageIn(outcome: Outcome<string>): string {
  return outcome.ok ? 'succeeded' : `${outcome.failure.code}: ${outcome.failure.message}`;
}

/** All rows of a page or a view, parsed. */
export async function rowsIn(rows: readonly string[] | AsyncIterable<string>) {
  let text = '';
  const pieces = Array.isArray(rows) ? [rows.join(',')] : rows;
  for await (const piece of pieces) text += piece;
  return JSON.parse(`[${text}]`) as (Record<string, unknown> & { id: string })[];
}
