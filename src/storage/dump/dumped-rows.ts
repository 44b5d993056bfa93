// Records and audit events on their way between two storages: their form, and the size of a piece.
// Runs on every host.

import { type CollectionName, isCollectionName } from '../../core/domain/collection-name.js';
import { storedFacts } from '../../core/records/stored-facts.js';
import { utf8Length } from '../../core/records/utf8-length.js';

/** Times: milliseconds since 1970, UTC. `owner`: null for a row that belongs to no account. */
export interface RecordLine {
  readonly collection: CollectionName;
  readonly id: string;
  readonly owner: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** The record's JSON as stored: parsing it would lose digits of long numbers. */
  readonly body: string;
}

/** `owner`: empty for an event that belongs to no account. `event`: JSON text. */
export interface EventLine {
  readonly id: number;
  readonly owner: string;
  readonly event: string;
}

/** A larger record travels alone. */
export const PIECE_MAX_ROWS = 1_000;
export const PIECE_MAX_CHARACTERS = 1_000_000;

/**
 * Why a line can't be a record of its account, as a sentence without its text; undefined if it can.
 * Such a row would keep a service from starting, or show a record to another account.
 */
export function recordProblem(line: RecordLine, maxBytes = Infinity): string | undefined {
  const { collection, id, owner, body, created_at, updated_at } = line;
  const problem = (what: string) => `the record ${collection} ${id} ${what}`;
  if (!isCollectionName(collection)) return problem('has an unknown collection');
  if (![created_at, updated_at].every((time) => Number.isSafeInteger(time) && time >= 0)) {
    return problem('has no usable time');
  }
  const bytes = utf8Length(body);
  if (bytes > maxBytes) return problem(`has ${bytes} bytes; the limit is ${maxBytes}`);
  try {
    const facts = storedFacts({ position: 0, collection, id, body });
    if ((facts.owner ?? null) !== owner) return problem('belongs to another account');
    if (facts.id === id) return undefined;
    return problem(`has another id in its text (${JSON.stringify(facts.id)})`);
  } catch {
    return problem('is not a JSON object');
  }
}
