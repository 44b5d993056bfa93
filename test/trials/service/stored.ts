// The stored records and audit events: as the file holds them, and as the service lists them.

import { isDeepStrictEqual } from 'node:util';
import { openRecords } from 'service-management-api';
import { openLibsqlStorage } from 'service-management-api/libsql';
import type { StoredEvent, StoredRow } from '../load/compare.js';
import { COLLECTIONS } from '../load/random-client.js';
import type { Client } from './client.js';

export type Stored = {
  readonly rows: readonly StoredRow[];
  readonly events: readonly StoredEvent[];
};

/** The owner of the sample records in a new file. */
const SAMPLE_OWNER = 'local-preview';

/**
 * Opens the file with the service's own code and reads it; undefined when that code refuses
 * the file. No other process may have the file open.
 */
export async function openStored(
  file: string,
  onRefusal = (_: unknown) => {},
): Promise<Stored | undefined> {
  try {
    const storage = await openLibsqlStorage({ path: file });
    try {
      const rows: StoredRow[] = [];
      for await (const page of storage.load()) {
        for (const { collection, body } of page) rows.push({ collection, body: JSON.parse(body) });
      }
      // Rejects a row that is not a record.
      await openRecords({ storage });
      const { items } = await storage.auditEvents({ page: 1, pageSize: 1_000_000 });
      return {
        rows: rows.filter(({ body }) => body['owner_sub'] !== SAMPLE_OWNER),
        events: items.map((item) => JSON.parse(item)).reverse(),
      };
    } finally {
      await storage.close();
    }
  } catch (error) {
    onRefusal(error);
    return undefined;
  }
}

/** All records and audit events, from the lists of the one account and of the operator. */
export async function readService(client: Client, account: string): Promise<Stored> {
  const lists = COLLECTIONS.map(async (collection) => {
    const bodies = await client.all<StoredRow['body']>(`/${collection}`, account);
    return bodies.map((body) => ({ collection, body }));
  });
  const rows = (await Promise.all(lists)).flat();
  const events = (await client.all<StoredEvent>('/admin/audit')).reverse();
  const countIn = async (path: string) =>
    (await client.get<{ record_count: number }>(path)).data.record_count;
  const samples = await countIn(`/admin/accounts/${SAMPLE_OWNER}`);
  const count = await countIn('/admin/overview');
  if (count !== rows.length + samples) {
    throw new Error(`the operator counts ${count} records, the lists hold ${rows.length}`);
  }
  return { rows, events };
}

/** Whether two views show the same records, and the same events in the same order. */
export function isSame(one: Stored, other: Stored): boolean {
  return isDeepStrictEqual(comparable(one), comparable(other));
}

function comparable({ rows, events }: Stored) {
  return {
    rows: new Map(rows.map(({ collection, body }) => [`${collection}/${body.id}`, body])),
    events: events.map((event) => ({ ...event, id: undefined })),
  };
}
