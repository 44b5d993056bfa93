// The file's rows in pages, for the start.

import type { Client, InValue } from '@libsql/client';
import { LOAD_PAGE, MEASURE_PAGE } from './file-schema.js';

/** Pages are small, so that their garbage is young and is collected at once. */
const PAGE_MAX_ROWS = 1_000;
const PAGE_MAX_BYTES = 16_000_000;

export interface FilePage {
  /** JSON array of rows. */
  readonly page: string;
  /** Position of its last row. */
  readonly last: number;
}

/** A page of the rows after `position`, bounded in rows and bytes; undefined at the end. */
export async function loadPage(client: Client, position: number): Promise<FilePage | undefined> {
  const one = async (sql: string, args: InValue[]) => (await client.execute({ sql, args })).rows[0];
  let rows = PAGE_MAX_ROWS;
  let measure = await one(MEASURE_PAGE, [position, rows]);
  while (Number(measure?.['bytes']) > PAGE_MAX_BYTES && rows > 1) {
    rows = Math.ceil(rows / 4);
    measure = await one(MEASURE_PAGE, [position, rows]);
  }
  if (typeof measure?.['last'] !== 'number') return undefined;
  const last = measure['last'];
  const page = await one(LOAD_PAGE, [position, last]);
  return { page: String(page?.['page']), last };
}
