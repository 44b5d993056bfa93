// Looks through a copy of a database file, every page and every index entry,
// and counts what it holds.

import { pathToFileURL } from 'node:url';
import { type Client, createClient } from '@libsql/client';
import {
  APPLICATION_ID,
  COUNT_BY_COLLECTION,
  COUNT_EVENTS,
  probes,
  SCHEMA_VERSION,
} from '../file/file-schema.js';

/** What a database holds. */
export interface DatabaseContents {
  readonly recordCount: number;
  /** Records by collection, of those collections that have any. */
  readonly records: Readonly<Record<string, number>>;
  readonly auditEventCount: number;
}

/**
 * Checks a file that nobody else has open, first taking into it what lies in
 * the log beside it, so that it is one file afterwards. Rejects, saying what it
 * is instead, where it is not a whole database of this program's schema.
 */
export async function checkDatabase(path: string): Promise<DatabaseContents> {
  const client = createClient({ url: pathToFileURL(path).href, concurrency: 1 });
  try {
    await client.execute('pragma locking_mode = exclusive');
    const version = await expectOurs(client);
    await client.execute('pragma journal_mode = delete');
    const report = String(await only(client, 'pragma integrity_check'));
    if (report !== 'ok') throw new Error(`it is damaged (${report.replaceAll(/\s+/g, ' ')})`);
    await client.batch([...probes(version)], 'read');
    const { rows } = await client.execute(COUNT_BY_COLLECTION);
    const records = rows.map((row) => [String(row['collection']), Number(row['records'])] as const);
    return {
      recordCount: records.reduce((sum, [, count]) => sum + count, 0),
      records: Object.fromEntries(records),
      auditEventCount: Number(await only(client, COUNT_EVENTS)),
    };
  } catch (error) {
    throw new Error(findingOf(error), { cause: error });
  } finally {
    client.close();
  }
}

/** Resolves with the version of its schema. */
async function expectOurs(client: Client): Promise<number> {
  if (Number(await only(client, 'pragma application_id')) !== APPLICATION_ID) {
    throw new Error('it is no database of this program');
  }
  const version = Number(await only(client, 'pragma user_version'));
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `its schema has version ${version}, this program knows up to ${SCHEMA_VERSION}`,
    );
  }
  return version;
}

async function only(client: Client, sql: string): Promise<unknown> {
  return (await client.execute(sql)).rows[0]?.[0];
}

function findingOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/SQLITE_NOTADB|not a database/i.test(message)) return 'it is not a SQLite database';
  if (/SQLITE_CORRUPT|malformed|no such (table|column)/i.test(message)) {
    return `it is damaged (${message})`;
  }
  return message;
}
