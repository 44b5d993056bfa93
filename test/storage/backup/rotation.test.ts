// What the rotation keeps beyond its number: a backup that holds much more than all after it.

import { expect, it } from 'vitest';
import { heldBack } from '../../../src/storage/backup/rotation.js';

/** The oldest first; the last `keep` are not surplus. Resolves with what is held back, and how many files were counted. */
async function hold(counts: readonly (number | undefined)[], keep: number) {
  const names = counts.map((_, index) => String(index));
  const asked = new Set<string>();
  const held = await heldBack({
    surplus: names.slice(0, -keep),
    kept: names.slice(-keep),
    async countOf(name) {
      asked.add(name);
      return counts[Number(name)];
    },
  });
  return { held: held.map(({ records }) => records), asked: asked.size };
}

it.each([
  ['a service that lost its records', [4_898, 19, 19], 2, [4_898]],
  ['two accidents', [4_898, 19, 5, 5], 2, [19, 4_898]],
  ['a service that grows', [10, 20, 30, 40], 2, []],
  ['exactly 1.5 times as many', [150, 100, 100], 2, []],
  ['a little more than that', [151, 100, 100], 2, [151]],
  ['a good one among those that stay', [4_898, 4_800, 19], 2, []],
  ['the newer of two good ones alone', [4_900, 4_898, 19, 19], 2, [4_898]],
  ['a file that is no database', [undefined, 19], 1, []],
  ['records after none', [7, 0], 1, [7]],
])('holds back after %s', async (_, counts, keep, wanted) => {
  expect((await hold(counts, keep)).held).toEqual(wanted);
});

it('counts one old backup and the newest, where nothing was lost', async () => {
  expect(await hold([90, 91, 92, 93, 94, 95, 96, 97], 7)).toEqual({ held: [], asked: 2 });
});
