// Rows that were made elsewhere, put as they are.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { PutRow, Sequences } from '../../core/records/record-storage.js';
import { foldedColumn, statusColumn, toStored } from '../../storage/postgres/columns.js';
import type { Run } from '../../storage/postgres/database.js';
import { sequenceName } from '../../storage/postgres/schema.js';

/** A row that was made elsewhere. Times: milliseconds since 1970, UTC. */
export interface MadeRow
  extends Pick<PutRow, 'collection' | 'id' | 'position' | 'body' | 'status'> {
  /** Null for a row that no account owns. */
  readonly owner: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export async function putRows(run: Run, rows: readonly MadeRow[]): Promise<void> {
  const of = <T>(column: (row: MadeRow) => T) => rows.map(column);
  await run(
    `insert into records (owner, collection, id, position, bytes, created_at, updated_at, status, body, folded)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::integer[],
                          $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[])`,
    [
      of(({ owner }) => toStored(owner ?? '')),
      of(({ collection }) => collection),
      of(({ id }) => toStored(id)),
      of(({ position }) => position),
      of(({ body }) => Buffer.byteLength(body)),
      of((row) => row.created_at),
      of((row) => row.updated_at),
      of(({ status }) => statusColumn(status)),
      of(({ body }) => body),
      of(({ body }) => foldedColumn(body)),
    ],
  );
}

/** After the last rows: `highest` are the numbers that ids were given, or are in the rows. */
export async function finishRows(run: Run, highest: Sequences): Promise<void> {
  await run(`insert into account_totals (owner, collection, records, bytes, updated_at)
    select owner, collection, count(*), sum(bytes), max(updated_at) from records group by 1, 2`);
  for (const name of COLLECTION_NAMES) {
    const number = highest[name] ?? 0;
    if (number > 0) await run('select setval($1, $2)', [sequenceName(name), number]);
  }
}
