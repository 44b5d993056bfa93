// The list of new ids on a disk that fails.

import { existsSync } from 'node:fs';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Renumbered } from '../../src/storage/move/renumbering.js';
import { writeNewIds } from '../../src/tools/move/new-ids.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const ROW: Renumbered = { owner: 'a', collection: 'orders', oldId: 'ORD-0001', newId: 'ORD-0007' };

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await openTemporaryFolder();
});
afterEach(() => folder.remove());

it('writes a line for each record', async () => {
  const path = join(folder.path, 'new.csv');
  expect(await writeNewIds(path, Array(2_000).fill(ROW))).toBe(2_000);
  const lines = (await readFile(path, 'utf8')).split('\n');
  expect(lines.slice(0, 2)).toEqual([
    'account,collection,old_id,new_id',
    'a,orders,ORD-0001,ORD-0007',
  ]);
  expect(lines).toHaveLength(2_002);
  expect(await readdir(folder.path)).toEqual(['new.csv']);
});

it('rejects when the disk fails between two lines, and has a listener for every failure', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note);
  try {
    const path = join(folder.path, 'missing', 'new.csv');
    function* broken() {
      yield ROW;
      throw new Error('the rows cannot be read');
    }
    await expect(writeNewIds(path, broken())).rejects.toThrow();
    for (let turns = 0; turns < 10; turns++) await turn();
    expect(uncaught).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
  }
});

it.runIf(existsSync('/dev/full'))('leaves no part of a list on a full disk', async () => {
  const path = join(folder.path, 'new.csv');
  await symlink('/dev/full', `${path}.part`);
  await expect(writeNewIds(path, Array(2_000).fill(ROW))).rejects.toThrow('ENOSPC');
  expect(await readdir(folder.path)).toEqual([]);
});
