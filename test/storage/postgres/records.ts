// The records of a process over a Postgres database, without its HTTP.

import { onTestFinished } from 'vitest';
import { FairScheduler } from '../../../src/core/admission/fair-scheduler.js';
import type { Outcome } from '../../../src/core/domain/errors.js';
import type { ListQuery } from '../../../src/core/domain/listing.js';
import { NO_LIMITS } from '../../../src/core/records/account-limits.js';
import { postgresRecords } from '../../../src/storage/postgres/account.js';
import { Database } from '../../../src/storage/postgres/database.js';
import { prepareSchema } from '../../../src/storage/postgres/schema.js';
import { memoryLog } from '../../support/memory-log.js';
import { newDatabaseName, sharedPostgres } from '../../support/postgres.js';

/** An empty database. */
export async function newDatabase() {
  const server = await sharedPostgres();
  const name = newDatabaseName();
  const url = await server.make(name);
  const sql = (text: string, values?: unknown[]) => server.sql(name, text, values);
  return { name, url, port: server.port, sql };
}

/** As a process does; two of them on one database are two processes. Creates missing tables. */
export async function openRecords(url: string, limits = NO_LIMITS) {
  const log = memoryLog();
  const database = new Database(url);
  onTestFinished(() => database.close());
  await prepareSchema(database);
  const scheduler = new FairScheduler();
  const options = { database, scheduler, limits, log, events: undefined };
  const { account, operator } = postgresRecords(options);
  return { database, account, operator, log };
}

/** Records in an empty database. */
export async function newRecords(limits = NO_LIMITS) {
  const database = await newDatabase();
  return { ...database, ...(await openRecords(database.url, limits)) };
}

export function customer(more: object = {}): string {
  return JSON.stringify({ name: 'Neema', phone: '1', ...more });
}

export const listQuery = (more: Partial<ListQuery> = {}): ListQuery => ({
  ...{ page: 1, pageSize: 100, q: '', status: '' },
  ...more,
});

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
  for await (const piece of Array.isArray(rows) ? [rows.join(',')] : rows) text += piece;
  return JSON.parse(`[${text}]`) as (Record<string, unknown> & { id: string })[];
}
