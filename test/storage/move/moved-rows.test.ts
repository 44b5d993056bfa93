// The form in which an account's records travel: where it is cut into pieces, the digest
// that both ends compute, and the rows that nobody takes.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  ContentsDigest,
  charactersOf,
  type MovedRow,
  piecesOf,
  piecesOfStream,
  rowName,
  rowProblem,
} from '../../../src/storage/move/moved-rows.js';
import { customersOf } from '../../support/arriving-account.js';

async function* stream<Row>(rows: readonly Row[]) {
  yield* rows;
}

describe('Rows', () => {
  it.each([
    ['none, for no row', [], []],
    ['one of 1,000 rows', Array(1_000).fill(1), [1_000]],
    ['two of 1,001 rows', Array(1_001).fill(1), [1_000, 1]],
    ['one of exactly 1,000,000 characters', [400_000, 600_000], [2]],
    ['two of one character more', [400_000, 600_001], [1, 1]],
    ['one of its own for a row that is longer than a piece', [5, 1_000_001, 5, 5], [1, 1, 2]],
    ['one for a long row at the begin', [2_000_000, 5], [1, 1]],
    ['three, each counted anew', [600_000, 600_000, 400_000, 1], [1, 2, 1]],
  ])('are cut into pieces: %s', async (_what, sizes, wanted) => {
    const cut = [...piecesOf(sizes, (size) => size)];
    expect(cut.map((piece) => piece.length)).toEqual(wanted);
    expect(cut.flat()).toEqual(sizes);
    const streamed = [];
    for await (const piece of piecesOfStream(stream(sizes), (size) => size)) streamed.push(piece);
    expect(streamed).toEqual(cut);
  });

  it('are as long as their texts', () => {
    expect(charactersOf(['orders', 'ORD-0001', '{"a":"é"}', 1, 2])).toBe(9);
  });
});

/** The digest as it is defined, by another library: a link of the chain has at most 1,000 rows, or ends with the row that reaches 1,000,000 characters. */
function digestOf(rows: readonly MovedRow[], links: readonly number[]): string {
  let chain = '';
  let next = 0;
  for (const count of links) {
    const texts = rows
      .slice(next, next + count)
      .flatMap(([collection, id, body, created, updated]) => [
        JSON.stringify([collection, id, created, updated, body.length]),
        body,
      ]);
    chain = createHash('sha256')
      .update([chain, ...texts].join('\n'))
      .digest('hex');
    next += count;
  }
  return chain;
}

describe('The digest of an account', () => {
  it.each([
    ['no rows', [], [0]],
    ['some rows', customersOf('a', 3), [3]],
    ['1,000 rows', customersOf('a', 1_000), [1_000]],
    ['1,001 rows', customersOf('a', 1_001), [1_000, 1]],
    ['long rows', customersOf('a', 5, 400_000), [3, 2]],
  ])('of %s is a chain of SHA-256', async (_what, rows, links) => {
    const digest = new ContentsDigest();
    for (const row of rows) await digest.add(row);
    const bytes = rows.reduce((sum, [, , body]) => sum + Buffer.byteLength(body), 0);
    const wanted = { records: rows.length, bytes, digest: digestOf(rows, links) };
    expect(await digest.contents()).toEqual(wanted);
    // Once more: nothing was added.
    expect(await digest.contents()).toEqual(wanted);
  });

  it('begins a new link with the row after 1,000,000 characters', async () => {
    const body = 'x'.repeat(500_000);
    const rows = Array.from({ length: 3 }, (_, i): MovedRow => ['team', `TM-${i}`, body, 1, 2]);
    const digest = new ContentsDigest();
    for (const row of rows) await digest.add(row);
    expect((await digest.contents()).digest).toBe(digestOf(rows, [2, 1]));
  });
});

describe('A row', () => {
  const [row] = customersOf('amina', 1) as [MovedRow];
  const [collection, id, body, created, updated] = row;
  const bytes = Buffer.byteLength(body);

  it('of the account is taken, up to the size that the place can store', () => {
    expect(rowProblem(row, 'amina', bytes)).toBeUndefined();
    expect(rowProblem([collection, id, body, 0, 0], 'amina', bytes)).toBeUndefined();
    expect(rowName(row)).toBe('customers CUS-0001');
  });

  it.each<[string, unknown, string?]>([
    ['is of no collection ("payments")', ['payments', id, body, created, updated]],
    ['has no usable time', [collection, id, body, -1, updated]],
    ['has no usable time', [collection, id, body, created, 1.5]],
    ['has no usable time', [collection, id, body, created, '5']],
    [`has ${bytes + 1} bytes; it may have ${bytes}`, [collection, id, `${body} `, 1, 2]],
    ['belongs to another account', row, 'juma'],
    ['has another id in its text ("CUS-0001")', [collection, 'CUS-0002', body, 1, 2]],
    ['is not a JSON object', [collection, id, '[]', 1, 2]],
    ['is not a JSON object', [collection, id, '{', 1, 2]],
  ])('that %s is refused', (problem, other, owner = 'amina') => {
    expect(rowProblem(other as MovedRow, owner, bytes)).toBe(problem);
  });
});
