// Encodes rows for the file, and decodes the pages that a start loads. SQLite joins the bodies of a page
// into one value and each column into one JSON array, because the library takes 9 µs to return a row.
// Owner and status are columns, so that a start parses no body.

import { isAscii } from 'node:buffer';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { PutRow } from '../../core/records/record-storage.js';
import { columnsOf, unusableRow } from '../../core/records/stored-row.js';
import type { Connection } from './connection.js';
import { LOAD_PAGE, MEASURE_PAGE, type StoredPage } from './file-schema.js';

/** Larger pages take longer per row, because they exceed the processor's cache. */
const PAGE_MAX_ROWS = 2_000;
const PAGE_MAX_BYTES = 8_000_000;

/** Between two bodies. JSON contains this character only as an escape. */
const SEPARATOR = 0x1e;
const ID_START = '{"id":"'.length;

/** UTF-8, and so a column, cannot represent half of a surrogate pair. */
const LONE_SURROGATE = /\p{Cs}/gu;

/** Null if no account owns the row. */
export function ownerColumn(owner: string | undefined): string | null {
  return owner?.replaceAll(LONE_SURROGATE, '\ufffd') ?? null;
}

/** Null if the record has no such property; a number, which matches no filter, if a column can't represent it. */
export function statusColumn(status: PutRow['status']): string | number | null {
  if (status === undefined) return null;
  return typeof status === 'string' && status.search(LONE_SURROGATE) === -1 ? status : 0;
}

/** The parameter of `PUT_ROWS`. */
export function rowsText(rows: readonly PutRow[]): string {
  return JSON.stringify(
    rows.map(({ position, collection, id, body, owner, status }) => [
      ...[position, collection, id, body],
      ...[ownerColumn(owner), statusColumn(status)],
    ]),
  );
}

/** A page of the rows after `position`; undefined at the end. */
export function storedPage(connection: Connection, position: number): StoredPage | undefined {
  for (let rows = PAGE_MAX_ROWS; ; rows = Math.ceil(rows / 4)) {
    const [{ last, bytes } = {}] = connection.rows(MEASURE_PAGE, [position, rows]);
    if (typeof last !== 'number') return undefined;
    if (rows > 1 && Number(bytes) > PAGE_MAX_BYTES) continue;
    const [page] = connection.rows(LOAD_PAGE, [position, last]);
    return { ...page, last } as unknown as StoredPage;
  }
}

/** Throws an error that names the row if its body has another owner than its column. */
export function rowsOf(page: StoredPage): PutRow[] {
  const bytes = Buffer.from(page.bodies);
  const bodies = bodiesOf(bytes);
  const positions: number[] = JSON.parse(page.positions);
  const collections: CollectionName[] = JSON.parse(page.collections);
  const owners: (string | null)[] = JSON.parse(page.owners);
  const statuses: (string | number | null)[] = JSON.parse(page.statuses);
  const nonStandardIds: Record<number, string> = JSON.parse(page.nonStandardIds);
  // A body with the separator is not JSON.
  if (bodies.length !== positions.length) {
    throw new Error('a page of its rows has more bodies than rows; restore a backup');
  }
  return bodies.map((body, i): PutRow => {
    const [position, collection] = [positions[i], collections[i]] as [number, CollectionName];
    const owner = owners[i] ?? null;
    const nonStandardId = nonStandardIds[position];
    const id = nonStandardId ?? body.slice(ID_START, body.indexOf('"', ID_START));
    // This program starts every body with its id and owner. Parsing it, or spreading an object, takes
    // several times longer.
    if (nonStandardId === undefined && owner !== null && !id.includes('\\')) {
      const column = statuses[i] ?? undefined;
      const status = typeof column === 'number' ? null : column;
      return { position, collection, id, body, owner, status };
    }
    const row = { position, collection, id, body };
    const columns = columnsOf(row);
    if (ownerColumn(columns.owner) !== owner) {
      throw unusableRow(row, 'has different owners in its text and its column');
    }
    return { ...row, ...columns };
  });
}

/**
 * In a page of ASCII, each body is a slice of the page's text. In any other it is a separate string, because
 * one letter outside Latin-1 would make the whole page take two bytes per character.
 */
function bodiesOf(bytes: Buffer): string[] {
  if (isAscii(bytes)) return bytes.toString('latin1').split(String.fromCharCode(SEPARATOR));
  const bodies: string[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const found = bytes.indexOf(SEPARATOR, start);
    const end = found === -1 ? bytes.length : found;
    bodies.push(bytes.toString('utf8', start, end));
    start = end + 1;
  }
  return bodies;
}
