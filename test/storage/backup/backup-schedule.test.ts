// Which files are backups, which of them the rotation removes, and when they are taken. With the
// test's own clock, because the shortest interval is an hour, and its own storage, because a real
// backup's process is slow on a busy machine.

import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  BackupSchedule,
  backupName,
  backupsIn,
  excessOf,
} from '../../../src/storage/backup/backup-schedule.js';
import { type MemoryLog, memoryLog } from '../../support/memory-log.js';
import { testFolder } from '../../support/test-folder.js';

const DAY = 86_400_000;
const NOON = Date.parse('2026-03-10T12:00:00.000Z');
const day = (days: number) => backupName('service', NOON + days * DAY);
/** How often the schedule reads the folder. */
const STEP_MINUTES = 10;

const temporary = testFolder();
let folder: string;
/** Pending while the disk hangs; every backup waits for it. */
let disk: Promise<void>;
let schedule: BackupSchedule;
let log: MemoryLog;

beforeEach(async () => {
  folder = temporary.at('backups');
  await mkdir(folder);
  disk = Promise.resolve();
  log = memoryLog();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
});
afterEach(() => {
  // Not every test starts one.
  (schedule as BackupSchedule | undefined)?.stop();
  vi.useRealTimers();
});

function start(intervalHours: number): void {
  const settings = { folder, intervalHours, keep: 10 };
  const databasePath = 'data/service.db';
  schedule = new BackupSchedule({ storage: { backup }, databasePath, settings, log });
  schedule.start();
}

async function backup(path: string) {
  await disk;
  await writeFile(path, 'a backup');
  return { bytes: 8, recordCount: 0, auditEventCount: 0 };
}

/** Lets this many minutes pass, each step with all of its timers' work. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += STEP_MINUTES) {
    vi.advanceTimersByTime(STEP_MINUTES * 60_000);
    await schedule.check();
  }
}

/** The log after all work in progress has ended. */
async function eventsSoFar(): Promise<string[]> {
  await schedule.check();
  return log.lines.map(({ event }) => event);
}

it('A schedule takes a backup at the start and the next one after the interval, not before, even across a restart', async () => {
  start(6);
  expect(await eventsSoFar()).toEqual(['backup_taken']);
  await pass(60);
  schedule.stop();
  start(6);
  await pass(5 * 60 - 10);
  expect(await readdir(folder)).toHaveLength(1);
  await pass(20);
  expect(await eventsSoFar()).toEqual(['backup_taken', 'backup_taken']);
});

it('A schedule takes no backup by itself when the interval is 0, and none once it is stopped', async () => {
  start(0);
  await pass(120);
  expect(await eventsSoFar()).toEqual([]);
  schedule.takeNow();
  expect(await eventsSoFar()).toEqual(['backup_taken']);
  schedule.stop();
  schedule.takeNow();
  await pass(60);
  expect(await eventsSoFar()).toEqual(['backup_taken']);
});

it('A schedule takes one more backup, however many are requested during one', async () => {
  start(0);
  await eventsSoFar();
  let answer = () => {};
  disk = new Promise((resolve) => {
    answer = resolve;
  });
  for (let ask = 0; ask < 3; ask++) {
    schedule.takeNow();
    await new Promise(setImmediate);
  }
  answer();
  expect(await eventsSoFar()).toEqual(['backup_taken', 'backup_taken']);
});

it('A schedule reports an unusable folder every ten minutes, and uses it once it is back', async () => {
  await rename(folder, `${folder}-away`);
  start(1);
  // The check at the start, and the test's own.
  expect(await eventsSoFar()).toEqual(['backup_failed', 'backup_failed']);
  expect(log.lines[0]?.fields['error']).toBe(
    `the folder of the backups ${folder} cannot be used: no such file or folder; check the path, or mount its disk`,
  );
  await pass(10);
  expect(log.lines.map(({ event }) => event)).toEqual(Array(4).fill('backup_failed'));
  await rename(`${folder}-away`, folder);
  await pass(10);
  expect((await eventsSoFar()).slice(4)).toEqual(['backup_taken']);
});

it('A schedule keeps as many new backups as it is told, even if as many are dated in the future', async () => {
  for (let day = 10; day < 20; day++) {
    await writeFile(join(folder, `service-2199-01-${day}T00-00-00.000Z.db`), 'a backup');
  }
  start(1);
  expect(await eventsSoFar()).toEqual(['backup_taken']);
  await pass(12 * 60);
  expect(await eventsSoFar()).toEqual(Array(13).fill('backup_taken'));
  expect(await readdir(folder)).toHaveLength(20);
});

it('Backups are listed newest first; every other file is ignored', async () => {
  expect(day(0)).toBe('service-2026-03-10T12-00-00.000Z.db');
  const endings = ['.db.gz', '-before-restore-2026-03-10T12-00-00.000Z.db', '-2026-03-10.db'];
  const others = [...endings, '-2026-13-41T12-00-00.000Z.db', '-2-2026-03-10T12-00-00.000Z.db'];
  const names = [...others.map((ending) => `service${ending}`), `other${day(0)}`, `x\n${day(0)}`];
  for (const name of [day(-2), ...names, day(-1), `${day(0)}.part`, day(-3)]) {
    await writeFile(join(folder, name), 'four');
  }
  expect(await backupsIn(folder, 'service')).toEqual(
    [-1, -2, -3].map((days) => ({ name: day(days), takenAt: NOON + days * DAY, bytes: 4 })),
  );
});

it.each([
  ['the oldest', [5, 5, 5, 5], 2, ['1', '0'], []],
  ['none of few', [5, 5], 9, [], []],
  ['not the last good one of a service that lost its records', [9, 4_898, 19, 19], 2, ['0'], ['1']],
  ['one with exactly 1.5 times as many bytes', [150, 100, 100], 2, ['0'], []],
  ['none with a little more than that', [151, 100, 100], 2, [], ['0']],
  ['one that a good one among those that stay replaces', [4_898, 4_800, 19], 2, ['0'], []],
])('The rotation removes %s', (_, oldestFirst, keep, removable, held) => {
  const files = oldestFirst.map((bytes, index) => ({ name: String(index), takenAt: index, bytes }));
  const old = excessOf(files.reverse(), keep);
  const named = (isRemovable: boolean) =>
    old.filter(({ isReplaced }) => isReplaced === isRemovable).map(({ name }) => name);
  expect([named(true), named(false)]).toEqual([removable, held]);
});
