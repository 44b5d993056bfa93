// Rows on their way into the file, and out of it in pages, for the start. SQLite joins the bodies of a
// page into one value and each column into one JSON array, because the library takes 9 µs for a row of
// its own. Owner and status are columns next to the body, so that a start parses no body.

import { isAscii } from 'node:buffer';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { PutRow } from '../../core/records/record-storage.js';
import { columnsOf, unusableRow } from '../../core/records/stored-row.js';
import type { Connection } from './connection.js';
import { LOAD_PAGE, MEASURE_PAGE, type StoredPage } from './file-schema.js';

/** Larger pages take longer per row, because they exceed the processor's cache. */
const PAGE_MAX_ROWS = 2_000;
const PAGE_MAX_BYTES = 8_000_000;

/** Separates two bodies. JSON has this character only as an escape. */
const BORDER = 0x1e;
const ID_START = '{"id":"'.length;

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

/** Throws, naming the row, if its body has another owner than its column. */
export function rowsOf(page: StoredPage): PutRow[] {
  const bytes = Buffer.from(page.bodies);
  const bodies = bodiesOf(bytes);
  const positions: number[] = JSON.parse(page.positions);
  const collections: CollectionName[] = JSON.parse(page.collections);
  const owners: (string | null)[] = JSON.parse(page.owners);
  const statuses: (string | number | null)[] = JSON.parse(page.statuses);
  const nonStandardIds: Record<number, string> = JSON.parse(page.nonStandardIds);
  // A body holds the border, so it is not JSON.
  if (bodies.length !== positions.length) {
    throw new Error('a page of its rows has more bodies than rows; restore a backup');
  }
  return bodies.map((body, i): PutRow => {
    const [position, collection] = [positions[i], collections[i]] as [number, CollectionName];
    const owner = owners[i] ?? null;
    const nonStandardId = nonStandardIds[position];
    const id = nonStandardId ?? body.slice(ID_START, body.indexOf('"', ID_START));
    // This program starts a body with id and owner. Parsing one, or spreading an object, takes several
    // times longer.
    if (nonStandardId === undefined && owner !== null && !id.includes('\\')) {
      const column = statuses[i] ?? undefined;
      const status = typeof column === 'number' ? null : column;
      return { position, collection, id, body, owner, status };
    }
    const row = { position, collection, id, body };
    const facts = columnsOf(row);
    if (ownerColumn(facts.owner) !== owner) {
      throw unusableRow(row, 'has another owner in its text than in its column');
    }
    return { ...row, ...facts };
  });
}

/**
 * In a page of ASCII each body is a slice of the page's text. Otherwise it is a separate text: one
 * letter outside Latin-1 would make the whole page two bytes a character.
 */
function bodiesOf(bytes: Buffer): string[] {
  if (isAscii(bytes)) return bytes.toString('latin1').split(String.fromCharCode(BORDER));
  const bodies: string[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const found = bytes.indexOf(BORDER, start);
    const end = found === -1 ? bytes.length : found;
    bodies.push(bytes.toString('utf8', start, end));
    start = end + 1;
  }
  return bodies;
}
