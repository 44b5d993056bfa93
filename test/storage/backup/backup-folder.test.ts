// Which files of the folder are backups, and which of them the rotation removes or keeps.

import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { backupName, backupsIn, beyond } from '../../../src/storage/backup/backup-schedule.js';
import { testFolder } from '../../support/test-folder.js';

const DAY = 86_400_000;
const NOON = Date.parse('2026-03-10T12:00:00.000Z');
const day = (days: number) => backupName('service', NOON + days * DAY);
const folder = testFolder();

it('Backups are listed newest first; every other file is ignored', async () => {
  expect(day(0)).toBe('service-2026-03-10T12-00-00.000Z.db');
  const others = [
    'service.db',
    'service-before-restore-2026-03-10T12-00-00.000Z.db',
    'service-2026-03-10T12-00-00.000Z.db.gz',
    'service-2026-03-10.db',
    'service-2026-13-41T12-00-00.000Z.db',
    'other-2026-03-10T12-00-00.000Z.db',
    'service-2-2026-03-10T12-00-00.000Z.db',
    `x\n${day(0)}.part`,
  ];
  for (const name of [day(-2), ...others, day(-1), `${day(0)}.part`, day(-3)]) {
    await writeFile(folder.at(name), 'four');
  }
  expect(await backupsIn(folder.path, 'service')).toEqual(
    [-1, -2, -3].map((days) => ({ name: day(days), takenAt: NOON + days * DAY, bytes: 4 })),
  );
});

it.each([
  ['the oldest', [5, 5, 5, 5], 2, ['1', '0'], []],
  ['none of few', [5, 5], 9, [], []],
  ['not the last good one of a service that lost its records', [9, 4_898, 19, 19], 2, ['0'], ['1']],
  ['none of two accidents', [4_898, 19, 5, 5], 2, [], ['1', '0']],
  ['those of a service that grows', [10, 20, 30, 40], 2, ['1', '0'], []],
  ['one with exactly 1.5 times as many bytes', [150, 100, 100], 2, ['0'], []],
  ['none with a little more than that', [151, 100, 100], 2, [], ['0']],
  ['one that a good one among those that stay replaces', [4_898, 4_800, 19], 2, ['0'], []],
])('The rotation removes %s', (_, oldestFirst, keep, removable, held) => {
  const files = oldestFirst.map((bytes, index) => ({ name: String(index), takenAt: index, bytes }));
  const old = beyond(files.reverse(), keep);
  const named = (isRemovable: boolean) =>
    old.filter(({ isReplaced }) => isReplaced === isRemovable).map(({ name }) => name);
  expect([named(true), named(false)]).toEqual([removable, held]);
});
