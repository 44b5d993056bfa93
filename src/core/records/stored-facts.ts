// What memory needs to know of a stored record: its owner, id and status.

import { isJsonObject, type JsonObject } from '../domain/json.js';
import { statusOf } from '../domain/record.js';
import type { JournalRow, RowFacts } from './journal.js';

/** The text is the truth: text in a column of its own is cut at a NUL character. Throws where it is no record. */
export function storedFacts(row: JournalRow): RowFacts {
  return row.facts ?? parsedFacts(row);
}

function parsedFacts(row: JournalRow): RowFacts {
  const body = parsed(row);
  const { owner_sub: owner, id } = body;
  return {
    owner: typeof owner === 'string' && owner !== '' ? owner : undefined,
    id: typeof id === 'string' ? id : row.id,
    status: statusOf(body),
  };
}

function parsed(row: JournalRow): JsonObject {
  let body: unknown;
  try {
    body = JSON.parse(row.body);
  } catch {
    throw unusable(row, 'is not JSON');
  }
  if (!isJsonObject(body)) throw unusable(row, 'is not a JSON object');
  return body;
}

/** The error for a row whose collection is none of the contract's. */
export function ofNoCollection(row: JournalRow): Error {
  return unusable(row, 'is of no collection');
}

/** Names the row without quoting it: the message ends in a log. */
function unusable({ collection, id, position }: JournalRow, finding: string): Error {
  return new Error(
    `the stored row ${collection} ${id} (position ${position}) ${finding}; restore a backup`,
  );
}
