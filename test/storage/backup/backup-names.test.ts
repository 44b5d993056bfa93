// Names of backups: which is the newest, which go, which are not ours.

import { expect, it } from 'vitest';
import { BackupNames } from '../../../src/storage/backup/backup-names.js';

const names = new BackupNames('service');
const DAY = 86_400_000;
const NOON = Date.parse('2026-03-10T12:00:00.000Z');
const day = (days: number) => names.at(NOON + days * DAY);

it('A name contains the time in UTC, without characters that some file systems refuse', () => {
  expect(names.at(Date.parse('2026-03-10T07:08:09.010Z'))).toBe(
    'service-2026-03-10T07-08-09.010Z.db',
  );
});

it('The newest backup is found by its name', () => {
  expect(names.newest([day(-2), day(-1), day(-3)], NOON)).toBe(NOON - DAY);
  expect(names.newest([day(0)], NOON)).toBe(NOON);
  expect(names.newest([], NOON)).toBeUndefined();
});

it('The search ignores a backup with a future time, so that a wrong clock does not delay the next one', () => {
  expect(names.newest([day(300), day(-2)], NOON)).toBe(NOON - 2 * DAY);
  expect(names.newest([day(300)], NOON)).toBeUndefined();
});

it.each([
  'service.db',
  'service-before-restore-2026-03-10T12-00-00.000Z.db',
  'service-2026-03-10T12-00-00.000Z.db.part',
  'service-2026-03-10T12-00-00.000Z.db.gz',
  'service-2026-03-10.db',
  'service-2026-13-41T12-00-00.000Z.db',
  'other-2026-03-10T12-00-00.000Z.db',
  'service-2-2026-03-10T12-00-00.000Z.db',
  'notes.txt',
])('A name that is not of a backup is neither counted nor removed: %s', (name) => {
  expect(names.newest([name], Date.now())).toBeUndefined();
  expect(names.surplus([name, day(0)], day(0), 1)).toEqual([]);
});

it('removes the oldest until the set number is left', () => {
  const all = [-3, -1, 0, -2].map(day);
  expect(names.surplus(all, day(0), 2)).toEqual([day(-3), day(-2)]);
  expect(names.surplus(all, day(0), 1)).toEqual([day(-3), day(-2), day(-1)]);
  expect(names.surplus(all, day(0), 4)).toEqual([]);
  expect(names.surplus(all, day(0), 9)).toEqual([]);
});

it('never removes the newest; backups with a future time are removed first', () => {
  const all = [-1, 0, 300, 301].map(day);
  expect(names.surplus(all, day(0), 2)).toEqual([day(300), day(301)]);
  expect(names.surplus(all, day(0), 1)).toEqual([day(300), day(301), day(-1)]);
});

it('recognizes the file of its own unfinished backup', () => {
  for (const end of ['.part', '.part-wal', '.part-journal', '.part-shm']) {
    expect(names.isUnfinished(day(0) + end)).toBe(true);
    expect(names.isUnfinished(`other.db${end}`)).toBe(false);
  }
  expect(names.isUnfinished(day(0))).toBe(false);
  expect(names.isUnfinished(`${day(0)}.part/../service.db`)).toBe(false);
});
