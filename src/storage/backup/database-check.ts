// Checks every page and every index entry of a database file's copy, and counts
// its records.

import { pathToFileURL } from 'node:url';
import { type Client, createClient } from '@libsql/client';
import {
  APPLICATION_ID,
  COUNT_BY_COLLECTION,
  COUNT_EVENTS,
  SCHEMA_VERSION,
} from '../file/file-schema.js';
import { DISTRUST_SCHEMA, expectOwnSchema } from '../file/schema-check.js';
import type { DatabaseContents } from './database-contents.js';

/**
 * Checks a file that nobody else has open, first taking into it what lies in
 * the log beside it, so that it is one file afterwards. Rejects, saying what it
 * is instead, where it is not a whole database of this program's schema.
 * `finish` is done last, on the same connection: the client lets go of a file
 * only when its statements are collected.
 */
export async function checkDatabase(
  path: string,
  finish?: (client: Client) => Promise<void>,
): Promise<DatabaseContents> {
  const client = createClient({ url: pathToFileURL(path).href, concurrency: 1 });
  try {
    await client.execute(DISTRUST_SCHEMA);
    await client.execute('pragma locking_mode = exclusive');
    await expectOurs(client);
    await client.execute('pragma journal_mode = delete');
    const report = String(await only(client, 'pragma integrity_check'));
    if (report !== 'ok') throw new Error(`it is damaged (${report.replaceAll(/\s+/g, ' ')})`);
    const { rows } = await client.execute(COUNT_BY_COLLECTION);
    const records = rows.map((row) => [String(row['collection']), Number(row['records'])] as const);
    const contents = {
      recordCount: records.reduce((sum, [, count]) => sum + count, 0),
      records: Object.fromEntries(records),
      auditEventCount: Number(await only(client, COUNT_EVENTS)),
    };
    await finish?.(client);
    return contents;
  } catch (error) {
    throw new Error(findingOf(error), { cause: error });
  } finally {
    client.close();
  }
}

/**
 * Writes a checked copy anew. Where SQLite moved records between pages it may
 * have left older ones behind, even with `secure_delete`: no backup has those.
 */
export async function compact(client: Client): Promise<void> {
  // A copy that breaks off is removed: nothing needs to be rolled back.
  await client.execute('pragma journal_mode = off');
  await client.execute('vacuum');
  const report = String(await only(client, 'pragma quick_check'));
  if (report !== 'ok') throw new Error(`it is damaged (${report.replaceAll(/\s+/g, ' ')})`);
}

/** Rejects where the database is of another program, newer than this one, or not exactly of its schema. */
export async function expectOurs(client: Client): Promise<void> {
  if (Number(await only(client, 'pragma application_id')) !== APPLICATION_ID) {
    throw new Error('it is no database of this program');
  }
  const version = Number(await only(client, 'pragma user_version'));
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `its schema has version ${version}, this program knows up to ${SCHEMA_VERSION}`,
    );
  }
  await expectOwnSchema(client, version);
}

async function only(client: Client, sql: string): Promise<unknown> {
  return (await client.execute(sql)).rows[0]?.[0];
}

function findingOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/SQLITE_NOTADB|not a database/i.test(message)) return 'it is not a SQLite database';
  if (/SQLITE_CORRUPT|malformed|no such (table|column|index)/i.test(message)) {
    return `it is damaged (${message})`;
  }
  return message;
}
