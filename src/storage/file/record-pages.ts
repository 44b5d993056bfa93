// The file's rows in pages, for the start. A page goes to the main thread as a few large
// values: one buffer of all bodies, which is moved and not copied, and the lengths to cut it.

import type { Connection } from './connection.js';
import { LOAD_EARLIER_PAGE, LOAD_PAGE, MEASURE_PAGE, NEXT_POSITION } from './file-schema.js';

/** Large, so that the fixed cost of a page does not count; small enough that a few pages fit beside the records. */
const PAGE_MAX_ROWS = 16_384;
const PAGE_MAX_BYTES = 8_000_000;

export interface FilePage {
  /** UTF-8, one body behind the other. */
  readonly bodies: ArrayBuffer;
  /** JSON arrays with one entry for each row. */
  readonly lengths: string;
  readonly positions: string;
  /** For each row: the collection's place in the list of names, or its text if it is not in the list. */
  readonly collections: string;
  /** The columns; all null in a file of a version without them. */
  readonly owners: string;
  readonly statuses: string;
  /** JSON array of `[position, id]`, for the rows whose body does not begin with the id. */
  readonly ids: string;
  /** JSON array of the positions of rows whose body is no JSON, as SQL reads it. */
  readonly invalid: string;
  /** Position of its last row. */
  readonly last: number;
}

/** A page of the rows after `position`, bounded in rows and bytes; undefined at the end. `hasColumns`: for owner and status. */
export function loadPage(
  connection: Connection,
  position: number,
  hasColumns = true,
): FilePage | undefined {
  const one = (sql: string, args: number[]) => connection.rows(sql, args)[0];
  const first = connection.value(NEXT_POSITION, [position]);
  if (typeof first !== 'number') return undefined;
  let rows = PAGE_MAX_ROWS;
  const measured = () => one(MEASURE_PAGE, [first, first + rows]);
  let measure = measured();
  while (Number(measure?.['bytes']) > PAGE_MAX_BYTES && rows > 1) {
    rows = Math.ceil(rows / 4);
    measure = measured();
  }
  const last = Number(measure?.['last']);
  const page = one(hasColumns ? LOAD_PAGE : LOAD_EARLIER_PAGE, [first, last]);
  return {
    bodies: page?.['bodies'] as ArrayBuffer,
    lengths: String(page?.['lengths']),
    positions: String(page?.['positions']),
    collections: String(page?.['collections']),
    owners: String(page?.['owners']),
    statuses: String(page?.['statuses']),
    ids: String(page?.['ids']),
    invalid: String(page?.['invalid']),
    last,
  };
}
