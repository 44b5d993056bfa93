// Reads column values from a stored row's body, and reports an unusable row.

import { isJsonObject } from '../domain/json.js';
import { statusOf } from '../domain/record.js';
import type { PutRow, StoredRow } from './record-storage.js';

/** From the body, because a database truncates a column's text at a NUL character. Throws if it isn't a record. */
export function columnsOf(row: StoredRow): Pick<PutRow, 'owner' | 'id' | 'status'> {
  let body: unknown;
  try {
    body = JSON.parse(row.body);
  } catch {
    throw unusableRow(row, 'is not JSON');
  }
  if (!isJsonObject(body)) throw unusableRow(row, 'is not a JSON object');
  const { owner_sub: owner, id } = body;
  return {
    owner: typeof owner === 'string' && owner !== '' ? owner : undefined,
    id: typeof id === 'string' ? id : row.id,
    status: statusOf(body),
  };
}

/** Names the row without quoting it, because the message is logged. */
export function unusableRow(
  { collection, id, position }: Omit<StoredRow, 'body'>,
  finding: string,
): Error {
  return new Error(
    `the stored row ${collection} ${id} (position ${position}) ${finding}; restore a backup`,
  );
}
