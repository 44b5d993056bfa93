// A move that is under way, in its file: what a killed move finds again, and the new ids
// of rows whose id another account has, too.

import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../../scripts/run-sql.js';
import type { CollectionName } from '../../../src/core/domain/collection-name.js';
import { ContentsDigest, type MovedRow } from '../../../src/storage/move/moved-rows.js';
import { type StagedAccount, StagedMove } from '../../../src/storage/move/staged-move.js';
import { customersOf } from '../../support/arriving-account.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

const SOURCE = 'https://workers.example';

let folder: TemporaryFolder;
let path: string;
let staged: StagedMove;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  path = join(folder.path, 'move');
  staged = await StagedMove.open(path, SOURCE);
});
afterEach(async () => {
  staged.close();
  await folder.remove();
});

/** Goes on with a copy, as another process would: this one lets go of a file when its statements are collected. */
async function reopen(source = SOURCE): Promise<void> {
  staged.close();
  const copy = `${path}-copy`;
  for (const end of ['', '-wal']) await copyFile(path + end, copy + end).catch(() => {});
  staged = await StagedMove.open(copy, source);
}

const announcedOf = (sequences = {}) => ({ records: 0, bytes: 0, digest: '', sequences });

function row(collection: CollectionName, id: string, createdAt: number): MovedRow {
  return [collection, id, JSON.stringify({ id }), createdAt, createdAt + 1];
}

function put(owner: string, rows: readonly MovedRow[], sequences = {}): StagedAccount {
  return staged.put(staged.begin(owner, 1, announcedOf(sequences)), rows, rows.length);
}

describe('A move under way', () => {
  it('is found again as it was left', async () => {
    const rows = customersOf('b', 5);
    const begun = staged.begin('b', 7, announcedOf({ customers: 9 }));
    expect(begun).toMatchObject({
      owner: 'b',
      revision: 7,
      position: 0,
      pieces: 0,
      isWhole: false,
    });
    const first = staged.put(begun, rows.slice(0, 3), 30);
    expect(first).toEqual({ ...begun, position: 30, pieces: 1 });
    const second = staged.put(first, rows.slice(3), 50);
    staged.begin('a', 1, announcedOf());
    staged.markWhole(second);
    await reopen();
    expect(staged.accounts().map(({ owner, isWhole }) => [owner, isWhole])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    expect(staged.find('b')).toEqual({ ...second, isWhole: true });
    expect(staged.find('c')).toBeUndefined();
    expect([...staged.pieces(second)]).toEqual(
      [rows.slice(0, 3), rows.slice(3)].map((piece) =>
        piece.map((moved) => ({ row: moved, newId: undefined })),
      ),
    );
    const digest = new ContentsDigest();
    for (const moved of rows) await digest.add(moved);
    expect(await staged.contents(second)).toEqual(await digest.contents());
  });

  it('begins an account anew, or forgets it, without its rows and with those of others', () => {
    const other = put('a', customersOf('a', 2));
    const known = put('b', customersOf('b', 2));
    staged.markWhole(known);
    const begun = staged.begin('b', 8, announcedOf({ orders: 3 }));
    expect(begun).toEqual({
      number: known.number,
      owner: 'b',
      revision: 8,
      announced: announcedOf({ orders: 3 }),
      position: 0,
      pieces: 0,
      isWhole: false,
    });
    expect([...staged.pieces({ ...begun, pieces: 1 })]).toEqual([[]]);
    staged.forget(other);
    expect(staged.accounts()).toEqual([begun]);
    expect([...staged.pieces(other)]).toEqual([[]]);
  });

  it('remembers what it finished with', async () => {
    expect(staged.finished()).toBeUndefined();
    const finished = { accounts: 2, records: 3, events: 4 };
    staged.finish(finished);
    await reopen();
    expect(staged.finished()).toEqual(finished);
  });

  it('is one file that only its owner may read', async () => {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is gone on with from the same place alone, and by one move at a time', async () => {
    const start = `the unfinished move ${path} cannot be gone on with: `;
    await expect(StagedMove.open(path, SOURCE)).rejects.toThrow(`${start}another move works on it`);
    await expect(reopen('https://other.example')).rejects.toThrow(
      'it is of a move from https://workers.example; remove it, or go on with that',
    );
    await expect(StagedMove.open(join(path, 'below'), 'x')).rejects.toThrow('ENOTDIR');
  });

  it('that is another database is refused with the words of the library', async () => {
    const other = join(folder.path, 'other');
    await runSql(other, 'create table move (x)');
    await expect(StagedMove.open(other, 'x')).rejects.toThrow(
      /^the unfinished move .* cannot be gone on with: .*SQLITE_ERROR/,
    );
  });
});

describe('New ids', () => {
  const newIds = () =>
    [...staged.renumbered()].map(({ owner, oldId, newId }) => [owner, oldId, newId]);

  it('go to all but the oldest record of an id, in the order of creation', () => {
    put('b', [row('orders', 'ORD-0001', 300), row('orders', 'ORD-0002', 100)]);
    put('c', [row('orders', 'ORD-0001', 200), row('customers', 'CUS-0001', 200)]);
    const last = put('a', [row('orders', 'ORD-0002', 250), row('orders', 'ORD-0001', 200)]);
    expect(staged.renumber()).toEqual({ orders: 5, customers: 1 });
    // By account and place. Of one age, the account that came first keeps its id.
    expect(newIds()).toEqual([
      ['b', 'ORD-0001', 'ORD-0005'],
      ['a', 'ORD-0002', 'ORD-0004'],
      ['a', 'ORD-0001', 'ORD-0003'],
    ]);
    expect([...staged.pieces(last)].flat().map(({ newId }) => newId)).toEqual([
      'ORD-0004',
      'ORD-0003',
    ]);
  });

  it('follow every number that any account ever gave', () => {
    put('a', [row('orders', 'ORD-0001', 1), row('team', 'TM-0007', 1)], { orders: 40, team: 3 });
    put('b', [row('orders', 'ORD-0001', 2)], { orders: 50, payments: 99 });
    expect(staged.renumber()).toEqual({ orders: 51, team: 7 });
    expect(newIds()).toEqual([['b', 'ORD-0001', 'ORD-0051']]);
  });

  it('are the same when they are given once more', () => {
    put('a', [row('orders', 'ORD-0001', 1)]);
    put('b', [row('orders', 'ORD-0001', 2)]);
    const highest = staged.renumber();
    const given = newIds();
    expect(staged.renumber()).toEqual(highest);
    expect(newIds()).toEqual(given);
  });

  it('reach every row of more than one page', () => {
    const count = 10_001;
    const rows = Array.from({ length: count }, (_, i) => row('orders', `ORD-${10_000 + i}`, i));
    put('a', rows);
    put('b', rows);
    expect(staged.renumber()).toEqual({ orders: 10_000 + 2 * count - 1 });
    const given = newIds();
    expect(given).toHaveLength(count);
    expect(given.at(-1)).toEqual(['b', 'ORD-20000', 'ORD-30001']);
  });
});
