// What memory needs to know of a stored record: its owner, id and status. At a start this is
// asked of every record, so the text is parsed only where looking at it does not tell.

import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import { statusOf } from '../domain/record.js';
import type { JournalRow } from './journal.js';

export interface StoredFacts {
  /** Undefined for a legacy row without one. */
  readonly owner: string | undefined;
  readonly id: string;
  readonly status: JsonValue | undefined;
}

/** The text is the truth: text in a column of its own is cut at a NUL character. Throws where it is no record. */
export function storedFacts(row: JournalRow): StoredFacts {
  return plainFacts(row.body) ?? parsedFacts(row);
}

const ID = '{"id":"';
const OWNER = '","owner_sub":"';
const STATUS = '"status"';

/**
 * Of a text as this program writes it: one flat object that begins with id and owner, without a
 * backslash. Then a quotation mark always begins or ends a text, and a name that stands there
 * once has one value. Undefined for every other text.
 */
function plainFacts(text: string): StoredFacts | undefined {
  if (!text.startsWith(ID) || text.includes('\\') || text.indexOf('{', 1) !== -1) return undefined;
  const idEnd = text.indexOf('"', ID.length);
  if (!text.startsWith(OWNER, idEnd)) return undefined;
  const ownerStart = idEnd + OWNER.length;
  const ownerEnd = text.indexOf('"', ownerStart);
  // A second one further on would be the one that counts.
  if (text.includes('"id"', idEnd) || text.includes('"owner_sub"', ownerEnd)) return undefined;
  if (ownerEnd <= ownerStart) return undefined;
  const owner = text.slice(ownerStart, ownerEnd);
  const id = text.slice(ID.length, idEnd);
  const status = text.indexOf(STATUS, ownerEnd);
  if (status === -1) return { owner, id, status: undefined };
  const valueStart = status + STATUS.length + 2;
  if (!text.startsWith(':"', valueStart - 2) || text.includes(STATUS, valueStart)) return undefined;
  return { owner, id, status: text.slice(valueStart, text.indexOf('"', valueStart)) };
}

function parsedFacts(row: JournalRow): StoredFacts {
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
    throw new Error(`${describeRow(row)} is not JSON`);
  }
  if (!isJsonObject(body)) throw new Error(`${describeRow(row)} is not a JSON object`);
  return body;
}

/** Names the row without quoting it: the message ends in a log. */
export function describeRow(row: JournalRow): string {
  return `the stored row ${row.collection} ${row.id} (position ${row.position})`;
}
