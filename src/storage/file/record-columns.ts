// What is kept in columns next to a record's body, so that a start parses no body: its owner, and the
// status that lists filter by.

import type { PutRow } from '../../core/records/record-storage.js';

/** UTF-8, and so a column, cannot hold half of a surrogate pair. */
const LONE_SURROGATE = /\p{Cs}/gu;

/** Null if no account owns the row. */
export function ownerColumn(owner: string | undefined): string | null {
  return owner?.replaceAll(LONE_SURROGATE, '\ufffd') ?? null;
}

/** Null if the record has no such property; a number, which no filter asks for, if no text can hold it. */
export function statusColumn(status: PutRow['status']): string | number | null {
  if (status === undefined) return null;
  return typeof status === 'string' && status.search(LONE_SURROGATE) === -1 ? status : 0;
}

/** For `PUT_ROWS`. */
export function rowsText(rows: readonly PutRow[]): string {
  return JSON.stringify(
    rows.map(({ position, collection, id, body, owner, status }) => [
      ...[position, collection, id, body],
      ...[ownerColumn(owner), statusColumn(status)],
    ]),
  );
}
