// When backups are taken: in a real folder, but by a clock of the test's own, since the shortest
// interval is an hour, and of a storage of its own, since a real backup's process waits on a busy machine.

import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BackupSchedule } from '../../../src/storage/backup/backup-schedule.js';
import { type KeptLog, keptLog } from '../../support/kept-log.js';
import { testFolder } from '../../support/test-folder.js';

const MINUTE_MS = 60_000;

const temporary = testFolder();
let folder: string;
/** Pending while the disk hangs; every backup waits for it. */
let disk: Promise<void>;
let schedule: BackupSchedule;
let log: KeptLog;

beforeEach(async () => {
  folder = temporary.at('backups');
  await mkdir(folder);
  disk = Promise.resolve();
  log = keptLog();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
});
afterEach(() => {
  schedule.stop();
  vi.useRealTimers();
});

function start(intervalHours: number): void {
  const settings = { folder, intervalHours, keep: 10 };
  const databasePath = 'data/service.db';
  schedule = new BackupSchedule({ storage: { backup }, databasePath, settings, log });
  schedule.begin();
}

async function backup(path: string) {
  await disk;
  await writeFile(path, 'a backup');
  return { bytes: 8, recordCount: 0, auditEventCount: 0 };
}

/** Lets this many minutes pass, one by one, each with all of its timers' work. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    vi.advanceTimersByTime(MINUTE_MS);
    await schedule.check();
  }
}

/** The log after all work under way has ended. */
async function eventsSoFar(): Promise<string[]> {
  await schedule.check();
  return log.lines.map(({ event }) => event);
}

it('takes a backup at the start and the next one after the interval, not before', async () => {
  start(6);
  expect(await eventsSoFar()).toEqual(['backup_taken']);
  await pass(6 * 60 - 1);
  expect(await readdir(folder)).toHaveLength(1);
  await pass(2);
  expect(await eventsSoFar()).toEqual(['backup_taken', 'backup_taken']);
});

it('keeps the interval across restarts, by the newest name, and clears what a killed process left', async () => {
  start(6);
  await eventsSoFar();
  schedule.stop();
  const [name = ''] = await readdir(folder);
  await writeFile(join(folder, `${name}.part-journal`), 'left');
  start(6);
  await pass(5 * 60);
  expect(await eventsSoFar()).toEqual(['backup_taken']);
  await pass(61);
  expect(await eventsSoFar()).toHaveLength(2);
  expect(await readdir(folder)).toEqual([name, expect.stringMatching(/Z\.db$/)]);
});

it('takes no backup by itself when the interval is 0, and none once it is stopped', async () => {
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

it('takes one more backup, however often it is asked during one', async () => {
  start(0);
  await eventsSoFar();
  let answer = () => {};
  disk = new Promise((resolve) => {
    answer = resolve;
  });
  for (let ask = 0; ask < 3; ask++) schedule.takeNow();
  await pass(0);
  vi.advanceTimersByTime(99 * MINUTE_MS);
  expect(log.lines).toEqual([]);
  answer();
  expect(await eventsSoFar()).toEqual(['backup_taken', 'backup_taken']);
});

it('says what is wrong with a folder, tries again after ten minutes, and uses it when it is back', async () => {
  const start_ = `the folder of the backups ${folder} cannot be used: `;
  await rename(folder, `${folder}-away`);
  start(1);
  expect(await eventsSoFar()).toEqual(['backup_failed']);
  expect(log.lines[0]?.fields['error']).toBe(`${start_}no such folder; make it, or mount its disk`);
  await writeFile(folder, 'a file');
  await pass(9);
  expect(await eventsSoFar()).toHaveLength(1);
  await pass(2);
  expect(log.lines[1]?.fields['error']).toContain('ENOTDIR');
  await rm(folder);
  await rename(`${folder}-away`, folder);
  await pass(11);
  expect((await eventsSoFar()).slice(2)).toEqual(['backup_taken']);
});

it('takes and keeps its own by the right clock beside as many backups of a wrong one as it keeps', async () => {
  for (let day = 10; day < 20; day++) {
    await writeFile(join(folder, `service-2199-01-${day}T00-00-00.000Z.db`), 'a backup');
  }
  start(1);
  expect(await eventsSoFar()).toEqual(['backup_taken']);
  await pass(61);
  expect(await eventsSoFar()).toEqual(['backup_taken', 'backup_taken']);
  expect(await readdir(folder)).toHaveLength(12);
});
