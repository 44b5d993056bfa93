// An account in the form in which the move sends it, made by hand, so that a test can change it.

import type { ArrivingPiece } from '../../src/storage/move/move-messages.js';
import { ContentsDigest, type MovedRow } from '../../src/storage/move/moved-rows.js';

/** This many customers. `fill`: the number of characters of a note in each. */
export function customersOf(owner: string, count: number, fill = 0): MovedRow[] {
  return Array.from({ length: count }, (_, i): MovedRow => {
    const id = `CUS-${String(i + 1).padStart(4, '0')}`;
    const record = { id, owner_sub: owner, name: 'Neema', phone: '1', note: 'n'.repeat(fill) };
    return ['customers', id, JSON.stringify(record), 1_767_225_600_000 + i, 1_767_225_700_000 + i];
  });
}

/** A piece of the rows: `count` rows from the first on. */
export async function pieceOf(
  rows: readonly MovedRow[],
  from = 0,
  count = rows.length,
): Promise<ArrivingPiece> {
  const digest = new ContentsDigest();
  for (const row of rows) await digest.add(row);
  const announced = { ...(await digest.contents()), sequences: { customers: 500 } };
  return { announced, from, rows: rows.slice(from, from + count) };
}
