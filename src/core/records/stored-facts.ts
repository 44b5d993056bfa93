// What memory needs to know of a stored record, from its body: its owner, id and status.

import { isJsonObject } from '../domain/json.js';
import { statusOf } from '../domain/record.js';
import type { PutRow, StoredRow } from './record-storage.js';

/** The text is the truth: a database cuts texts in columns of their own at a NUL character. Throws if it isn't a record. */
export function storedFacts(row: StoredRow): Pick<PutRow, 'owner' | 'id' | 'status'> {
  let body: unknown;
  try {
    body = JSON.parse(row.body);
  } catch {
    throw unusable(row, 'is not JSON');
  }
  if (!isJsonObject(body)) throw unusable(row, 'is not a JSON object');
  const { owner_sub: owner, id } = body;
  return {
    owner: typeof owner === 'string' && owner !== '' ? owner : undefined,
    id: typeof id === 'string' ? id : row.id,
    status: statusOf(body),
  };
}

/** The error for a row that storage keeps under another owner than its body names. */
export function ofTwoOwners(row: StoredRow): Error {
  return unusable(row, 'has another owner in its text than in its column');
}

/** Names the row without quoting it: the message ends in a log. */
export function unusable(
  { collection, id, position }: Omit<StoredRow, 'body'>,
  finding: string,
): Error {
  return new Error(
    `the stored row ${collection} ${id} (position ${position}) ${finding}; restore a backup`,
  );
}
