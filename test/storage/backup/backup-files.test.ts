// Which files of the folder are backups, and which of them the rotation removes or keeps.

import { expect, it } from 'vitest';
import { backupName, backupsIn, rotationOf } from '../../../src/storage/backup/backup-files.js';

const DAY = 86_400_000;
const NOON = Date.parse('2026-03-10T12:00:00.000Z');
const day = (days: number) => backupName('service', NOON + days * DAY);

it('Backups are listed newest first; every other file is ignored', () => {
  expect(day(0)).toBe('service-2026-03-10T12-00-00.000Z.db');
  const others = [
    'service.db',
    'service-before-restore-2026-03-10T12-00-00.000Z.db',
    'service-2026-03-10T12-00-00.000Z.db.gz',
    'service-2026-03-10.db',
    'service-2026-13-41T12-00-00.000Z.db',
    'other-2026-03-10T12-00-00.000Z.db',
    'service-2-2026-03-10T12-00-00.000Z.db',
    `${day(0)}.part/../service.db`,
    `x\n${day(0)}.part`,
  ];
  const unfinished = ['.part', '.part-wal', '.part-journal', '.part-shm'].map(
    (end) => day(0) + end,
  );
  expect(backupsIn([day(-2), ...others, day(-1), ...unfinished, day(-3)], 'service')).toEqual({
    finished: [-1, -2, -3].map((days) => ({ name: day(days), takenAt: NOON + days * DAY })),
    unfinished,
  });
});

/** The oldest first, a day apart, the last one taken now unless some are `future`. */
function rotated(sizes: readonly number[], keep: number, future = 0) {
  const dayOf = (index: number) => index + 1 + future - sizes.length;
  const files = sizes.map((bytes, index) => ({
    name: String(index),
    takenAt: NOON + dayOf(index) * DAY,
    bytes,
  }));
  const { removable, heldBack } = rotationOf(files.reverse(), NOON, keep);
  return { removed: removable, held: heldBack.map(({ bytes }) => bytes) };
}

it.each([
  ['the oldest', [5, 5, 5, 5], 2, 0, ['1', '0']],
  ['none of few', [5, 5], 9, 0, []],
  ['those of a wrong clock first, never the newest', [5, 5, 5, 5], 2, 2, ['3', '2']],
  ['those of a wrong clock and then the oldest', [5, 5, 5, 5], 1, 2, ['0', '3', '2']],
])('The rotation removes %s', (_, sizes, keep, future, removed) => {
  expect(rotated(sizes, keep, future)).toEqual({ removed, held: [] });
});

it.each([
  ['a service that lost its records', [4_898, 19, 19], 2, [4_898]],
  ['two accidents', [4_898, 19, 5, 5], 2, [19, 4_898]],
  ['a service that grows', [10, 20, 30, 40], 2, []],
  ['exactly 1.5 times as many', [150, 100, 100], 2, []],
  ['a little more than that', [151, 100, 100], 2, [151]],
  ['a good one among those that stay', [4_898, 4_800, 19], 2, []],
  ['the newer of two good ones alone', [4_900, 4_898, 19, 19], 2, [4_898]],
  ['one that is removed', [40, 28, 19], 1, [40]],
])('It holds back after %s', (_, sizes, keep, held) => {
  expect(rotated(sizes, keep).held).toEqual(held);
});
