// The lines of a dump, which moves records and audit events between two storages. Runs on every host.

import { type CollectionName, isCollectionName } from '../../core/domain/collection-name.js';
import type { Sequences, StoredRow } from '../../core/records/record-storage.js';
import { columnsOf } from '../../core/records/stored-row.js';

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

/** `event`: JSON text. */
export interface EventLine {
  readonly id: number;
  readonly event: string;
}

/** `highest`: the highest numbers ever used in ids. */
export type DumpLine = RecordLine | EventLine | { readonly highest: Sequences };

export const isRecord = (line: object): line is RecordLine => 'body' in line;
export const isEvent = (line: object): line is EventLine => 'event' in line;

/** The media type of lines that travel over HTTP. */
export const NDJSON = 'application/x-ndjson';

/** From a database row. Its JSON is authoritative, because a column cannot hold every subject. */
export function recordLine(row: object): RecordLine {
  const { collection, body, ...columns } = row as StoredRow &
    Record<'created_at' | 'updated_at', unknown>;
  const { id, owner = null } = columnsOf({ collection, body, ...columns });
  const [created_at, updated_at] = [Number(columns.created_at), Number(columns.updated_at)];
  return { collection, id, owner, created_at, updated_at, body };
}

/**
 * Throws an error without the record's text if the line isn't a record of its account. Stored, it would
 * prevent a start, or show the record to another account.
 */
export function assertRecord(line: RecordLine): void {
  const { collection, id, owner } = line;
  const problem = (what: string) => new Error(`the record ${collection} ${id} ${what}`);
  if (!isCollectionName(collection)) throw problem('has an unknown collection');
  const inText = recordLine(line);
  if (inText.owner !== owner) throw problem('belongs to another account');
  if (inText.id !== id) throw problem(`has another id in its text (${JSON.stringify(inText.id)})`);
}

/** Not `readline`, which treats U+2028 as a line break. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
