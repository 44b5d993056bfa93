// When backups are taken while the service runs: a real folder, but a clock of the
// test's own, since the shortest interval is an hour. The storage is the test's own,
// too: a real backup starts a process of the lowest priority, and a busy machine may
// let that process wait for longer than a test lasts.

import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileStorage } from 'service-management-api/libsql';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BackupSchedule } from '../../../src/storage/backup/backup-schedule.js';
import { type KeptLog, keptLog } from '../../support/kept-log.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let temporary: TemporaryFolder;
let folder: string;
/** Pending while the disk hangs; every backup waits for it. */
let disk: Promise<void>;
let schedule: BackupSchedule | undefined;
let log: KeptLog;

beforeEach(async () => {
  temporary = await openTemporaryFolder();
  folder = join(temporary.path, 'backups');
  await mkdir(folder);
  disk = Promise.resolve();
  log = keptLog();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
});
afterEach(async () => {
  schedule?.stop();
  vi.useRealTimers();
  await temporary.remove();
});

function start(intervalHours: number): void {
  const settings = { folder, intervalHours, keep: 10 };
  const databasePath = 'data/service.db';
  schedule = new BackupSchedule({
    storage: { backup } as FileStorage,
    databasePath,
    settings,
    log,
  });
}

/** Writes the backup as soon as the disk answers. */
const backup: FileStorage['backup'] = async (path) => {
  await disk;
  await writeFile(path, 'a backup');
  return { bytes: 8, records: {}, recordCount: 0, auditEventCount: 0 };
};

/** Lets the disk hang; the result makes it answer again. */
function hang(): () => void {
  let answer = () => {};
  disk = new Promise((resolve) => {
    answer = resolve;
  });
  return answer;
}

/** Lets so many minutes pass, one by one, each with all of its timers' work. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    vi.advanceTimersByTime(MINUTE_MS);
    await schedule?.idle();
  }
}

/** The log after all work under way has ended. */
async function eventsSoFar(): Promise<string[]> {
  await schedule?.idle();
  return log.lines.map(({ event }) => event);
}

it('takes a backup at the start and the next one after the interval, not before', async () => {
  start(6);
  expect(await eventsSoFar()).toEqual(['backup_taken']);
  await pass(6 * 60 - 1);
  expect(await eventsSoFar()).toHaveLength(1);
  await pass(2);
  expect(await eventsSoFar()).toEqual(['backup_taken', 'backup_taken']);
  expect(await readdir(folder)).toHaveLength(2);
});

it('takes no backup by itself when the interval is 0', async () => {
  start(0);
  await pass(120);
  expect(await eventsSoFar()).toEqual([]);
  schedule?.takeNow();
  expect(await eventsSoFar()).toEqual(['backup_taken']);
});

it('tries again ten minutes after a failure, not at every check', async () => {
  await rename(folder, `${folder}-away`);
  start(1);
  expect(await eventsSoFar()).toEqual(['backup_failed']);
  await pass(9);
  expect(await eventsSoFar()).toHaveLength(1);
  await pass(2);
  expect(await eventsSoFar()).toEqual(['backup_failed', 'backup_failed']);
  await rename(`${folder}-away`, folder);
  await pass(11);
  expect((await eventsSoFar()).slice(2)).toEqual(['backup_taken']);
});

it('says what is wrong with a folder that it cannot use', async () => {
  const reasons = async () => {
    await schedule?.idle();
    return log.lines.map(({ fields }) => fields['error']);
  };
  const begin = `the folder of the backups ${folder} cannot be used: `;
  await rename(folder, `${folder}-away`);
  start(1);
  expect(await reasons()).toEqual([`${begin}it is not there; make it, or mount its disk`]);
  schedule?.stop();
  await writeFile(folder, 'a file');
  log = keptLog();
  start(1);
  expect(await reasons()).toEqual([`${begin}it is a file; name a folder`]);
});

it('lists the finished backups, the newest first, with their times and sizes', async () => {
  const name = (day: string) => `service-2026-03-${day}T12-00-00.000Z.db`;
  for (const day of ['10', '12', '11']) await writeFile(join(folder, name(day)), `of ${day}`);
  await writeFile(join(folder, `${name('13')}.part`), 'unfinished');
  // As where a backup is removed after the folder was read.
  await symlink(join(folder, 'nowhere'), join(folder, name('14')));
  start(0);
  expect(await schedule?.kept()).toEqual(
    ['12', '11', '10'].map((day) => ({
      name: name(day),
      takenAt: Date.parse(`2026-03-${day}T12:00:00.000Z`),
      bytes: 5,
    })),
  );
});

it('logs once that the disk hangs, continues when it answers, and logs the next hang', async () => {
  start(0);
  expect(await eventsSoFar()).toEqual([]);
  const answer = hang();
  schedule?.takeNow();
  vi.advanceTimersByTime(39 * MINUTE_MS);
  expect(log.lines).toEqual([]);
  vi.advanceTimersByTime(60 * MINUTE_MS);
  expect(log.lines.map(({ event }) => event)).toEqual(['backup_failed']);
  answer();
  expect(await eventsSoFar()).toEqual(['backup_failed', 'backup_taken']);
  const answerAgain = hang();
  schedule?.takeNow();
  vi.advanceTimersByTime(99 * MINUTE_MS);
  answerAgain();
  expect((await eventsSoFar()).slice(2)).toEqual(['backup_failed', 'backup_taken']);
});

it('takes a backup when the clock was set back before the newest one', async () => {
  start(24);
  await eventsSoFar();
  vi.setSystemTime(Date.now() - 48 * HOUR_MS);
  await pass(1);
  const wanted = ['backup_taken', 'backup_from_future', 'backup_taken'];
  expect(await eventsSoFar()).toEqual(wanted);
  await pass(60);
  expect(await eventsSoFar()).toEqual(wanted);
});

it('names a backup from the future once, takes its own by the right clock, and removes it first', async () => {
  const future = 'service-2199-01-01T00-00-00.000Z.db';
  await writeFile(join(folder, future), 'of a wrong clock');
  start(1);
  expect(await eventsSoFar()).toEqual(['backup_from_future', 'backup_taken']);
  expect(log.lines[0]?.fields['files']).toBe(future);
  await pass(8 * 60 + 8);
  expect(await readdir(folder)).toContain(future);
  await pass(2 * 61);
  expect(await readdir(folder)).not.toContain(future);
  expect((await eventsSoFar()).filter((event) => event === 'backup_from_future')).toHaveLength(1);
});

it('begins none once it is stopped', async () => {
  start(0);
  schedule?.stop();
  schedule?.takeNow();
  await pass(60);
  expect(await eventsSoFar()).toEqual([]);
});
