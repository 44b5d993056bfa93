// The file's rows in pages, for the start. A page crosses to the main thread as a few large
// values: one buffer of all bodies, which is moved and not copied, and what cuts it.

import { isAscii } from 'node:buffer';
import { COLLECTION_NAMES, type CollectionName } from '../../domain/collection-name.js';
import type { JournalRow } from '../../records/journal.js';
import type { Connection } from './connection.js';
import { LOAD_PAGE, MEASURE_PAGE } from './file-schema.js';

/** Few pages, so that a page's fixed cost does not count; small enough that some of them fit beside the records. */
const PAGE_MAX_ROWS = 16_384;
const PAGE_MAX_BYTES = 8_000_000;

export interface FilePage {
  /** UTF-8, one body behind the other. */
  readonly bodies: ArrayBuffer;
  /** JSON arrays, an entry a row. */
  readonly lengths: string;
  readonly positions: string;
  /** Each the collection's place in the list of names, or its text where it is not there. */
  readonly collections: string;
  /** JSON array of `[position, id]`: of the rows whose body does not begin with the id. */
  readonly ids: string;
  /** Position of its last row. */
  readonly last: number;
}

/** A page of the rows after `position`, bounded in rows and bytes; undefined at the end. */
export function loadPage(connection: Connection, position: number): FilePage | undefined {
  const one = (sql: string, args: number[]) => connection.rows(sql, args)[0];
  let rows = PAGE_MAX_ROWS;
  let measure = one(MEASURE_PAGE, [position, rows]);
  while (Number(measure?.['bytes']) > PAGE_MAX_BYTES && rows > 1) {
    rows = Math.ceil(rows / 4);
    measure = one(MEASURE_PAGE, [position, rows]);
  }
  if (typeof measure?.['last'] !== 'number') return undefined;
  const last = measure['last'];
  const page = one(LOAD_PAGE, [position, last]);
  return {
    bodies: page?.['bodies'] as ArrayBuffer,
    lengths: String(page?.['lengths']),
    positions: String(page?.['positions']),
    collections: String(page?.['collections']),
    ids: String(page?.['ids']),
    last,
  };
}

/** The rows of a page, in order. */
export function rowsOfPage(page: FilePage): JournalRow[] {
  const bodies = Buffer.from(page.bodies);
  // Reading bytes as characters one by one is several times cheaper.
  const encoding = isAscii(bodies) ? 'latin1' : 'utf8';
  const lengths: number[] = JSON.parse(page.lengths);
  const positions: number[] = JSON.parse(page.positions);
  const collections: (number | string)[] = JSON.parse(page.collections);
  const ids = new Map<number, string>(JSON.parse(page.ids));
  const rows: JournalRow[] = [];
  let start = 0;
  for (const [i, position] of positions.entries()) {
    const end = start + (lengths[i] ?? 0);
    const body = bodies.toString(encoding, start, end);
    const code = collections[i];
    rows.push({
      position,
      // A text is no collection's name: the records refuse it, and name it.
      collection: (typeof code === 'number' ? COLLECTION_NAMES[code] : code) as CollectionName,
      id: ids.get(position) ?? body.slice(ID_START, body.indexOf('"', ID_START)),
      body,
    });
    start = end;
  }
  return rows;
}

const ID_START = '{"id":"'.length;
